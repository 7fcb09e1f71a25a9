//! Vectors that others have published, through sectors.
