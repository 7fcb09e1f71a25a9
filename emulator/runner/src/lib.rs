//! What both runners share: their options, the places of CPUID in code, and the counts they report.
