//! Pages as they are written.

use super::*;
