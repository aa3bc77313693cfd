//! Macros for types with private fields: the compiler then finds every use of a field that changes. They are shared by
//! the crates of the workspace and are not part of the public interface.

/// Declares options: a struct whose fields are set by methods with their names.
#[doc(hidden)]
#[macro_export]
macro_rules! options {
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(<$life:lifetime>)? {
            $($(#[doc = $doc:literal])* $field:ident: $type:ty,)*
        }
        $(private { $($(#[doc = $note:literal])* $hidden:ident: $hidden_type:ty,)* })?
    ) => {
        $(#[$meta])*
        pub struct $name $(<$life>)? {
            $($(#[doc = $doc])* pub(crate) $field: $type,)*
            $($($(#[doc = $note])* pub(crate) $hidden: $hidden_type,)*)?
        }

        impl $(<$life>)? $name $(<$life>)? {
            $(
                $(#[doc = $doc])*
                #[must_use]
                pub fn $field(self, $field: $type) -> Self {
                    $name { $field, ..self }
                }
            )*
        }
    };
}

/// Declares a struct whose fields only this crate sets. Methods with their names return copies or, with `=> &T` and
/// `as Option<&T>`, references. Fields in a block `private` have none.
#[doc(hidden)]
#[macro_export]
macro_rules! readable {
    (@get $(#[doc = $doc:literal])* $field:ident: $type:ty) => {
        $(#[doc = $doc])*
        pub fn $field(&self) -> $type {
            self.$field
        }
    };
    (@get $(#[doc = $doc:literal])* $field:ident: $type:ty as Option<&$out:ty>) => {
        $(#[doc = $doc])*
        pub fn $field(&self) -> Option<&$out> {
            self.$field.as_ref().map(|value| -> &$out { value })
        }
    };
    (@get $(#[doc = $doc:literal])* $field:ident: $type:ty => $out:ty) => {
        $(#[doc = $doc])*
        pub fn $field(&self) -> $out {
            &self.$field
        }
    };
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(<$life:lifetime>)? {
            $($(#[doc = $doc:literal])* $field:ident: $type:ty $(=> $out:ty)? $(as Option<&$optional:ty>)?,)*
        }
        $(private { $($(#[doc = $note:literal])* $hidden:ident: $hidden_type:ty,)* })?
    ) => {
        $(#[$meta])*
        pub struct $name $(<$life>)? {
            $($(#[doc = $doc])* pub(crate) $field: $type,)*
            $($($(#[doc = $note])* pub(crate) $hidden: $hidden_type,)*)?
        }

        impl $(<$life>)? $name $(<$life>)? {
            $($crate::readable! { @get $(#[doc = $doc])* $field: $type $(=> $out)? $(as Option<&$optional>)? })*
        }
    };
}

/// Declares methods that return a field, or an expression that begins with one.
#[doc(hidden)]
#[macro_export]
macro_rules! getters {
    (@value $self:ident & $($value:tt)+) => { &$self.$($value)+ };
    (@value $self:ident $($value:tt)+) => { $self.$($value)+ };
    ($name:ident { $($(#[doc = $doc:literal])* $getter:ident: $type:ty = [$($value:tt)+];)* }) => {
        impl $name {
            $(
                $(#[doc = $doc])*
                pub fn $getter(&self) -> $type {
                    $crate::getters!(@value self $($value)+)
                }
            )*
        }
    };
}
