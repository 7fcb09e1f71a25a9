//! Routes that are somebody else's and take whole calls: the host's default provider, and Linux's
//! crypto API.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use wirespeed_af_alg::{Cipher, Error, Hash, Interface, Permission, Transform, permitted};
use wirespeed_cipher::{Block, Direction, InOut, Route, SIZE_CLASSES};
use wirespeed_plan::{SIZE_BUCKETS, size_bucket};
use zeroize::Zeroize;

use crate::boundary::host_cipher::HostCipher;

/// Neither Linux nor the host's OpenSSL did it, and nothing has happened to the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OffloadFailed;

/// Who may take one call, in this order.
pub(crate) struct OffloadCall<'a> {
    kernel: Option<&'a mut KernelCipher>,
    pub(crate) host: Option<&'a mut HostCipher>,
    /// Who has done it, or would have: a call may be too short for anybody but us.
    pub(crate) route: Option<Route>,
    /// Whether the host's default provider was asked and failed.
    pub(crate) host_failed: bool,
}

impl<'a> OffloadCall<'a> {
    pub(crate) fn new(
        kernel: Option<&'a mut KernelCipher>,
        host: Option<&'a mut HostCipher>,
    ) -> Self {
        let route = kernel.as_ref().map_or(Route::Libcrypto, |it| it.offloaded.route());
        Self { kernel, host, route: Some(route), host_failed: false }
    }

    /// Whether it is not the kernel's.
    pub(crate) const fn is_for_host(&self) -> bool {
        self.kernel.is_none()
    }

    /// One run over `data` from `iv` on. Modes over whole blocks must get whole blocks. Inline as all behind it: what is handed
    /// on in memory, stored in parts and loaded in one, is waited for.
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        direction: Direction,
        iv: &[u8],
        mut data: InOut<'_>,
    ) -> Result<(), OffloadFailed> {
        if let Some(kernel) = &mut self.kernel {
            let mut moving = [0; 16];
            let moving = &mut moving[..iv.len()];
            moving.copy_from_slice(iv);
            if kernel.run(direction, moving, data.reborrow()).is_ok() {
                self.route = Some(kernel.offloaded.route());
                return Ok(());
            }
        }
        self.by_host(|host| host.run(direction, iv, data))
    }

    /// Tells where a run has ended that somebody has done, behind so many bytes of a block.
    pub(crate) const fn stands_at(&mut self, direction: Direction, place: Block, used: usize) {
        if let (Some(Route::Libcrypto), Some(host)) = (self.route, &mut self.host) {
            host.stands_at(direction, place, used);
        }
    }

    /// Whether the host would go on from there.
    pub(crate) fn host_is_at(&self, direction: Direction, place: &Block, used: usize) -> bool {
        self.is_for_host()
            && self.host.as_ref().is_some_and(|host| host.is_at(direction, place, used))
    }

    /// Something that only the host's default provider can do.
    #[inline(always)]
    pub(crate) fn by_host<T>(
        &mut self,
        run: impl FnOnce(&mut HostCipher) -> Result<T, OffloadFailed>,
    ) -> Result<T, OffloadFailed> {
        self.route = None;
        let host = self.host.as_mut().ok_or(OffloadFailed)?;
        // What there is no memory for is no fault of the host's: our own kernels do it.
        if !host.is_there() {
            return Err(OffloadFailed);
        }
        let done = run(host);
        self.host_failed = done.is_err();
        self.route = done.is_ok().then_some(Route::Libcrypto);
        done
    }
}

/// One algorithm that may go to the kernel: by whom, at which lengths, and whether it still may.
pub(crate) struct Offloaded {
    interface: Interface,
    transform: &'static Transform,
    driver: Option<String>,
    permission: Permission,
    /// For each direction one bit for each size bucket.
    size_buckets: [u16; 2],
    standing: AtomicU8,
}

/// The largest size class, with which the last size bucket begins.
const LARGEST: usize = SIZE_CLASSES[SIZE_CLASSES.len() - 1];

/// What is known of a driver in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Standing {
    /// Nobody has asked it yet: loading the provider opens no socket.
    Unknown,
    Right,
    /// Absent, forbidden here, broken, or wrong.
    Out,
    /// The same, and worth a word: it was there and failed.
    Failed,
}

impl Offloaded {
    pub(crate) const fn new(
        interface: Interface,
        transform: &'static Transform,
        driver: Option<String>,
        permission: Permission,
    ) -> Self {
        let standing = AtomicU8::new(Standing::Unknown as u8);
        Self { interface, transform, driver, permission, size_buckets: [0; 2], standing }
    }

    /// The driver that was measured, unless the configuration names one.
    pub(crate) fn or_driver(mut self, measured: Option<&str>) -> Self {
        self.driver = self.driver.or_else(|| measured.map(str::to_owned));
        self
    }

    /// Every length in both directions.
    pub(crate) fn at_any_length(self) -> Self {
        Self { size_buckets: [u16::MAX; 2], ..self }
    }

    /// One size bucket more.
    pub(crate) fn take(&mut self, direction: Direction, size_bucket: usize) {
        self.size_buckets[direction as usize] |= 1 << size_bucket;
    }

    /// Every size bucket in which no length is below `bytes`.
    pub(crate) fn take_from(&mut self, direction: Direction, bytes: usize) {
        // The last size bucket has no end: a larger number keeps it from the kernel.
        let least = bytes.checked_next_power_of_two().filter(|it| *it <= LARGEST);
        let Some(first) = least.map(size_bucket) else { return };
        (first..SIZE_BUCKETS).for_each(|size_bucket| self.take(direction, size_bucket));
    }

    /// Whether a call of `bytes` is the kernel's.
    pub(crate) fn takes(&self, direction: Direction, bytes: usize) -> bool {
        let standing = self.standing.load(Ordering::Relaxed);
        standing < Standing::Out as u8
            && self.size_buckets[direction as usize] & 1 << size_bucket(bytes) != 0
    }

    /// Whether any call is the kernel's.
    pub(crate) fn takes_any(&self) -> bool {
        self.size_buckets != [0; 2]
    }

    /// By which way it goes.
    pub(crate) const fn interface(&self) -> Interface {
        self.interface
    }

    pub(crate) const fn route(&self) -> Route {
        self.interface.route()
    }

    /// Whether it is to be had in this process, which is tried.
    pub(crate) fn is_present(&self) -> bool {
        self.interface.presence_of(self.transform, self.driver(), self.permission).is_ok()
    }

    pub(crate) const fn transform(&self) -> &'static Transform {
        self.transform
    }

    /// Whether it was there and failed, or was wrong.
    pub(crate) fn has_failed(&self) -> bool {
        self.is(Standing::Failed)
    }

    fn is(&self, standing: Standing) -> bool {
        self.standing.load(Ordering::Relaxed) == standing as u8
    }

    /// Takes it out of service in every context.
    #[cold]
    pub(crate) fn fail(&self) {
        self.standing.store(Standing::Failed as u8, Ordering::Relaxed);
    }

    /// Tests it before its first use in this process.
    pub(crate) fn self_test(&self) -> Result<(), OffloadFailed> {
        if self.is(Standing::Unknown) {
            wirespeed_af_alg::self_test(
                self.interface,
                self.transform,
                self.driver(),
                self.permission,
            )
            .map_err(|error| self.judge(&error))?;
            // Somebody may have found it out meanwhile.
            let (unknown, right) = (Standing::Unknown as u8, Standing::Right as u8);
            let relaxed = Ordering::Relaxed;
            let _ = self.standing.compare_exchange(unknown, right, relaxed, relaxed);
        }
        Ok(())
    }

    /// What an error means for the calls to come.
    #[cold]
    pub(crate) fn judge(&self, error: &Error) -> OffloadFailed {
        match error {
            Error::Busy(_) | Error::TooLong(_) => {}
            // Sandboxes are entered by threads: others may not be in one.
            Error::Absent(_) if permitted(self.permission).is_err() => {}
            // Gone, if it was there before.
            Error::Absent(_) if self.is(Standing::Right) => self.fail(),
            Error::Absent(_) => self.standing.store(Standing::Out as u8, Ordering::Relaxed),
            Error::Broken(_) => self.fail(),
        }
        OffloadFailed
    }

    pub(crate) fn driver(&self) -> Option<&str> {
        self.driver.as_deref()
    }

    /// A hash function of the kernel's for one context.
    pub(crate) fn hash(&self) -> Result<Hash, Error> {
        Hash::through(self.interface, self.transform, self.driver(), None, self.permission)
    }
}

/// A way to the kernel beside a context of ours: the key is kept until a call goes there.
pub(crate) struct KernelCipher {
    offloaded: Arc<Offloaded>,
    key: [u8; 64],
    key_bytes: usize,
    socket: Option<Cipher>,
    patience: Patience,
}

impl KernelCipher {
    pub(crate) const fn new(offloaded: Arc<Offloaded>) -> Self {
        let patience = Patience::NEW;
        Self { offloaded, key: [0; 64], key_bytes: 0, socket: None, patience }
    }

    pub(crate) fn offloaded(&self) -> &Offloaded {
        &self.offloaded
    }

    /// Takes a key of the algorithm's length; nothing is done with it before a call comes this way.
    #[inline]
    pub(crate) fn take_key(&mut self, key: &[u8]) {
        self.key[..key.len()].copy_from_slice(key);
        self.key_bytes = key.len();
        self.socket = None;
    }

    /// One run over `data` from `iv` on, which moves on; if it fails, nothing has happened.
    pub(crate) fn run(
        &mut self,
        direction: Direction,
        iv: &mut [u8],
        data: InOut<'_>,
    ) -> Result<(), OffloadFailed> {
        if self.key_bytes == 0 || data.is_empty() {
            return Err(OffloadFailed);
        }
        self.patience.ask()?;
        let offloaded = &self.offloaded;
        let key = &self.key[..self.key_bytes];
        let ran = match &mut self.socket {
            Some(socket) => socket.crypt(direction, iv, data),
            None => {
                // It may have been for want of descriptors.
                offloaded.self_test().inspect_err(|_| self.patience.lose())?;
                let (transform, driver) = (offloaded.transform, offloaded.driver());
                let (interface, permission) = (offloaded.interface, offloaded.permission);
                Cipher::through(interface, transform, driver, key, permission)
                    .and_then(|socket| self.socket.insert(socket).crypt(direction, iv, data))
            }
        };
        ran.map_err(|error| self.failed(&error))?;
        self.patience = Patience::NEW;
        Ok(())
    }

    #[cold]
    fn failed(&mut self, error: &Error) -> OffloadFailed {
        // What is too long says nothing about shorter calls.
        if !matches!(error, Error::TooLong(_)) {
            self.socket = None;
            self.patience.lose();
        }
        self.offloaded.judge(error)
    }
}

impl Clone for KernelCipher {
    /// The copy opens a socket of its own when it needs one.
    fn clone(&self) -> Self {
        let Self { offloaded, key, key_bytes, patience, .. } = self;
        Self {
            offloaded: offloaded.clone(),
            key: *key,
            key_bytes: *key_bytes,
            socket: None,
            patience: *patience,
        }
    }
}

impl Drop for KernelCipher {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

/// How long not to ask again after a failure: twice as many calls each time.
///
/// Where descriptors have run out, every call would otherwise pay for a socket that it cannot have.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    wait: u32,
    left: u32,
}

impl Patience {
    pub(crate) const NEW: Self = Self { wait: 0, left: 0 };
    const LONGEST: u32 = 1024;

    /// Whether it is time to ask.
    pub(crate) const fn ask(&mut self) -> Result<(), OffloadFailed> {
        if self.left == 0 {
            return Ok(());
        }
        self.left -= 1;
        Err(OffloadFailed)
    }

    /// It has failed again.
    pub(crate) fn lose(&mut self) {
        self.wait = (2 * self.wait + 1).min(Self::LONGEST);
        self.left = self.wait;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offloaded() -> Offloaded {
        let transform = Transform::named("AES-128-CBC").expect("the kernel has it");
        Offloaded::new(Interface::AfAlg, transform, None, Permission::Unconfined)
    }

    #[test]
    fn a_range_of_sizes_and_a_direction_at_a_time() {
        let mut offloaded = offloaded();
        offloaded.take(Direction::Decrypt, size_bucket(16384));
        let takes = |bytes| offloaded.takes(Direction::Decrypt, bytes);
        assert_eq!([16383, 16384, 32767, 32768].map(takes), [false, true, true, false]);
        assert!(!offloaded.takes(Direction::Encrypt, 16384));
        let mut from = self::offloaded();
        from.take_from(Direction::Encrypt, 1420);
        let takes = |bytes| from.takes(Direction::Encrypt, bytes);
        assert_eq!([1420, 2047, 2048, usize::MAX].map(takes), [false, false, true, true]);
        for (bytes, takes) in
            [(0, true), (LARGEST, true), (LARGEST + 1, false), (usize::MAX, false)]
        {
            let mut from = self::offloaded();
            from.take_from(Direction::Encrypt, bytes);
            assert_eq!(from.takes(Direction::Encrypt, usize::MAX), takes, "{bytes}");
        }
        let everywhere = self::offloaded().at_any_length();
        assert!(everywhere.takes(Direction::Encrypt, 0));
        assert!(everywhere.takes(Direction::Decrypt, usize::MAX));
    }

    #[test]
    fn what_has_failed_takes_nothing_more() {
        let busy = offloaded().at_any_length();
        busy.judge(&Error::Busy(std::io::Error::from_raw_os_error(libc::EMFILE)));
        assert!(busy.takes(Direction::Encrypt, 16) && !busy.has_failed());
        let broken = offloaded().at_any_length();
        broken.judge(&Error::Broken(std::io::Error::from_raw_os_error(libc::EIO)));
        assert!(!broken.takes(Direction::Encrypt, 16) && broken.has_failed());
        // In a sandbox, which the test may run in, an absence says nothing.
        let permission = Permission::Anywhere;
        let absent = Offloaded { permission, ..offloaded().at_any_length() };
        absent.judge(&Error::Absent(wirespeed_af_alg::Absent("gone".to_owned())));
        assert!(!absent.takes(Direction::Encrypt, 16) && !absent.has_failed());
    }

    #[test]
    fn what_is_too_long_is_no_failure() {
        let mut kernel = KernelCipher::new(Arc::new(offloaded().at_any_length()));
        kernel.failed(&Error::TooLong("in this test"));
        assert!(kernel.patience.ask().is_ok());
        assert!(kernel.offloaded.takes(Direction::Encrypt, 16) && !kernel.offloaded.has_failed());
        kernel.failed(&Error::Busy(std::io::Error::from_raw_os_error(libc::EBUSY)));
        assert!(kernel.patience.ask().is_err());
    }

    /// A filter that allows everything is seccomp all the same, and a thread's.
    #[test]
    fn a_thread_in_a_sandbox_says_nothing_about_the_others() {
        let offloaded = offloaded().at_any_length();
        let judged = std::thread::scope(|scope| {
            let confined = scope.spawn(|| {
                let is_confined = confine_this_thread();
                offloaded.judge(&Error::Absent(wirespeed_af_alg::Absent("seccomp".to_owned())));
                is_confined
            });
            confined.join().expect("no panic")
        });
        match judged {
            true => assert!(offloaded.takes(Direction::Encrypt, 16) && !offloaded.has_failed()),
            false => println!("skipped: this Linux has no seccomp"),
        }
    }

    fn confine_this_thread() -> bool {
        let (code, k) = ((libc::BPF_RET | libc::BPF_K) as u16, libc::SECCOMP_RET_ALLOW);
        let filter = [libc::sock_filter { code, jt: 0, jf: 0, k }];
        let program = libc::sock_fprog { len: 1, filter: filter.as_ptr().cast_mut() };
        let (program, mode) = (&raw const program, libc::SECCOMP_MODE_FILTER);
        // SAFETY: a program of one line, which is only read.
        unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, mode, program) == 0
        }
    }

    #[test]
    fn patience_grows_with_every_failure() {
        let mut patience = Patience::NEW;
        let mut asked = Vec::new();
        for call in 0..20 {
            if patience.ask().is_ok() {
                asked.push(call);
                patience.lose();
            }
        }
        assert_eq!(asked, [0, 2, 6, 14]);
    }
}
