//! Marks of volumes whose programs need not be here: as libblkid looks for them.

use crate::fixtures::Device;

/// A physical volume of LVM 2 (lib/format_text/layout.h of LVM): a label in the second sector.
pub(crate) fn lvm(device: Device) -> Result<Device, String> {
    const SECTOR: u64 = 512;
    let mut label = [0; SECTOR as usize];
    label[..8].copy_from_slice(b"LABELONE");
    label[8..16].copy_from_slice(&1_u64.to_le_bytes());
    // Where the rest begins, and what it is.
    label[20..24].copy_from_slice(&32_u32.to_le_bytes());
    label[24..32].copy_from_slice(b"LVM2 001");
    label[32..64].copy_from_slice(b"abcdefghijklmnopqrstuvwxyz012345");
    // The checksum is of all behind itself.
    let checksum = checksum(&label[20..]);
    label[16..20].copy_from_slice(&checksum.to_le_bytes());
    device.holding(SECTOR, &label)
}

/// CRC-32 as LVM begins and ends it (lib/misc/crc.c).
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0xf597_a6cf, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    })
}

/// A member of a RAID of Linux's, format 1.2 (include/uapi/linux/raid/md_p.h): a superblock after 4 KiB.
pub(crate) fn raid(device: Device) -> Result<Device, String> {
    const PLACE: u64 = 4096;
    let mut block = [0; 256];
    block[..4].copy_from_slice(&0xa92b_4efc_u32.to_le_bytes());
    block[4..8].copy_from_slice(&1_u32.to_le_bytes());
    // The array's name of 16 bytes, and where the superblock believes it is, in sectors.
    block[16..32].copy_from_slice(b"0123456789abcdef");
    block[144..152].copy_from_slice(&(PLACE / 512).to_le_bytes());
    device.holding(PLACE, &block)
}
