//! Where to work.

use std::path::PathBuf;

use clap::Args;
use wirespeed_installation::Place;

use crate::fault::Fault;

/// Where `install` and `uninstall` work.
#[derive(Args)]
pub(crate) struct PlaceArguments {
    /// The openssl.cnf to change; the one that the machine's OpenSSL reads by default
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder of provider modules; the one where the machine's OpenSSL looks by default
    #[arg(long, value_name = "DIR")]
    modules: Option<PathBuf>,
    /// An unpacked system, such as a container's: nothing of it is run
    #[arg(long, value_name = "DIR", conflicts_with_all = ["config", "modules"])]
    root: Option<PathBuf>,
}

impl PlaceArguments {
    /// What is concerned.
    pub(crate) fn find(self) -> Result<Place, Fault> {
        let place = match self.root {
            Some(root) => Place::in_root(&root),
            None => Place::find(self.config, self.modules),
        };
        place.map_err(Fault::usage)
    }
}
