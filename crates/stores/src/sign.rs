//! Signing of requests, with a library that finds and renews credentials. No credentials are stored or shown here.

use crate::failure::{Failure, of_credentials};
use http::HeaderValue;
use http::header::AUTHORIZATION;
use object_store::aws::{AwsAuthorizer, AwsCredentialProvider};
use object_store::azure::{AzureAuthorizer, AzureCredentialProvider};
use object_store::client::HttpRequest;
use object_store::gcp::GcpCredentialProvider;
use std::fmt;

/// Specifies how requests are signed.
pub(crate) enum Signing {
    /// Unsigned.
    Nothing,
    /// With signature version 4.
    Aws { provider: AwsCredentialProvider, region: String, payer: bool },
    /// With a token.
    Gcp { provider: GcpCredentialProvider },
    /// With a key, token or shared access signature.
    Azure { provider: AzureCredentialProvider, account: String },
}

impl fmt::Debug for Signing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Signing::Nothing => "Nothing",
            Signing::Aws { .. } => "Aws",
            Signing::Gcp { .. } => "Gcp",
            Signing::Azure { .. } => "Azure",
        })
    }
}

impl Signing {
    /// Signs a request, after obtaining or renewing credentials if necessary.
    ///
    /// # Errors
    /// There are no credentials.
    pub(crate) async fn sign(&self, request: &mut HttpRequest) -> Result<(), Failure> {
        let failed = |error: object_store::Error| of_credentials(&error);
        match self {
            Signing::Nothing => Ok(()),
            Signing::Aws { provider, region, payer } => {
                let credential = provider.get_credential().await.map_err(failed)?;
                let authorizer = AwsAuthorizer::new(&credential, "s3", region).with_request_payer(*payer);
                authorizer.try_authorize(request, None).map_err(failed)
            }
            Signing::Gcp { provider } => {
                let credential = provider.get_credential().await.map_err(failed)?;
                if !credential.bearer.is_empty() {
                    let mut value = HeaderValue::from_str(&format!("Bearer {}", credential.bearer))
                        .map_err(|_| Failure::Unrequested("the access token is invalid".to_owned()))?;
                    value.set_sensitive(true);
                    request.headers_mut().insert(AUTHORIZATION, value);
                }
                Ok(())
            }
            Signing::Azure { provider, account } => {
                let credential = provider.get_credential().await.map_err(failed)?;
                AzureAuthorizer::new(&credential, account).try_authorize(request).map_err(failed)
            }
        }
    }
}
