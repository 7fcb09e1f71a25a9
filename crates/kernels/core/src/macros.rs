//! What makes functions with target features of bodies without any.

/// Calls an intrinsic that works on registers alone, on behalf of a unit whose value proves its features.
///
/// What touches memory is called by its name, with a comment that says what vouches for the memory.
#[macro_export]
macro_rules! call {
    ($intrinsic:ident $(::<$constant:tt>)? ($($argument:expr),*)) => {
        // SAFETY: the unit proves the features, and no memory is touched.
        unsafe { $intrinsic $(::<$constant>)? ($($argument),*) }
    };
}

/// Wraps each body in a function with the target features, behind a safe one.
#[macro_export]
macro_rules! entries {
    ([] $(fn $name:ident [$($generic:tt)*] [$($argument:tt)*]
        ($($parameter:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {
        $(fn $name<$($generic)*>($($parameter: $type),*) $(-> $result)? $body)*
    };
    ([$features:literal] $(fn $name:ident [$($generic:tt)*] [$($argument:tt)*]
        ($($parameter:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {
        $(fn $name<$($generic)*>($($parameter: $type),*) $(-> $result)? {
            #[target_feature(enable = $features)]
            fn with_features<$($generic)*>($($parameter: $type),*) $(-> $result)? {
                $crate::align_stack!();
                let result = $body;
                $crate::clear_vectors!($features);
                result
            }
            // SAFETY: `table` asks for the proof that these features are present.
            unsafe { with_features::<$($argument)*>($($parameter),*) }
        })*
    };
}

/// An array of what an expression gives for 0 to 7. A closure would miss the target features.
#[macro_export]
macro_rules! eight {
    (|$i:ident| $each:expr) => {
        $crate::eight!(@ $i $each; 0 1 2 3 4 5 6 7)
    };
    (@ $i:ident $each:expr; $($number:literal)*) => {
        [$({
            const $i: usize = $number;
            $each
        }),*]
    };
}
