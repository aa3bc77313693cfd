//! Macros for types with private fields: the compiler then finds every use of a field that changes.

/// Declares options: a struct whose fields are set by methods with their names.
macro_rules! options {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[doc = $doc:literal])* $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[doc = $doc])* pub(crate) $field: $type,)*
        }

        impl $name {
            $(
                $(#[doc = $doc])*
                #[must_use]
                pub fn $field(self, $field: $type) -> $name {
                    $name { $field, ..self }
                }
            )*
        }
    };
}

/// Declares a struct whose fields only this crate sets. Methods with their names return copies or, with `=> &T`,
/// references. Fields in a block `private` have none.
macro_rules! readable {
    (@get $(#[doc = $doc:literal])* $field:ident: $type:ty) => {
        $(#[doc = $doc])*
        pub fn $field(&self) -> $type {
            self.$field
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
            $($(#[doc = $doc:literal])* $field:ident: $type:ty $(=> $out:ty)?,)*
        }
        $(private { $($(#[doc = $note:literal])* $hidden:ident: $hidden_type:ty,)* })?
    ) => {
        $(#[$meta])*
        pub struct $name $(<$life>)? {
            $($(#[doc = $doc])* pub(crate) $field: $type,)*
            $($($(#[doc = $note])* pub(crate) $hidden: $hidden_type,)*)?
        }

        impl $(<$life>)? $name $(<$life>)? {
            $(readable! { @get $(#[doc = $doc])* $field: $type $(=> $out)? })*
        }
    };
}

/// Declares methods that return a field, or an expression that begins with one.
macro_rules! getters {
    (@value $self:ident & $($value:tt)+) => { &$self.$($value)+ };
    (@value $self:ident $($value:tt)+) => { $self.$($value)+ };
    ($name:ident { $($(#[doc = $doc:literal])* $getter:ident: $type:ty = [$($value:tt)+];)* }) => {
        impl $name {
            $(
                $(#[doc = $doc])*
                pub fn $getter(&self) -> $type {
                    getters!(@value self $($value)+)
                }
            )*
        }
    };
}
