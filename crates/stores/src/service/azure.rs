//! Azure Blob Storage: List Blobs, Get Blob, Get Blob Properties.

use super::{Object, ObjectBuilder, PAGE, Page, Service, etag, variable};
use crate::failure::Failure;
use crate::metadata::{Checksum, ObjectMetadata};
use crate::request::{Request, Response, escaped, seconds};
use crate::sign::Signing;
use crate::xml;
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use std::mem::take;
use std::ops::Range;

/// A container.
#[derive(Debug)]
pub(super) struct Azure {
    /// Its URL, without a trailing slash.
    base: String,
}

/// Opens a container with the settings of the environment.
///
/// # Errors
/// No account is set, or its credentials cannot be read.
pub(super) fn open(container: &str) -> Result<(Azure, Signing), Failure> {
    let mut builder = MicrosoftAzureBuilder::from_env().with_container_name(container).with_allow_http(true);
    let mut endpoint = variable(&["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"]);
    let line = variable(&["AZURE_STORAGE_CONNECTION_STRING"]).unwrap_or_default();
    for (name, value) in line.split(';').filter_map(|part| part.split_once('=')) {
        match name {
            "AccountName" => builder = builder.with_account(value),
            "AccountKey" => builder = builder.with_access_key(value),
            "BlobEndpoint" => endpoint = Some(value.to_owned()),
            _ => {}
        }
    }
    if let Some(account) = variable(&["AZURE_STORAGE_ACCOUNT"]) {
        builder = builder.with_account(account);
    }
    let config = |key| builder.get_config_value(&key);
    let account = config(AzureConfigKey::AccountName).ok_or_else(|| {
        Failure::Unrequested("no account specified: set AZURE_STORAGE_ACCOUNT_NAME".to_owned())
    })?;
    let endpoint = endpoint.unwrap_or_else(|| format!("https://{account}.blob.core.windows.net"));
    let base = format!("{}/{container}", endpoint.trim_end_matches('/'));
    let anonymous = config(AzureConfigKey::SkipSignature).is_some_and(|value| value == "true");
    let signing = match anonymous {
        true => Signing::Nothing,
        false => {
            let store = builder.build().map_err(|error| crate::failure::of_credentials(&error))?;
            Signing::Azure { provider: store.credentials().clone(), account }
        }
    };
    Ok((Azure { base }, signing))
}

impl Azure {
    fn object(&self, key: &str) -> String {
        format!("{}/{}", self.base, escaped(key, true))
    }
}

impl Service for Azure {
    fn list(&self, prefix: &str, next: Option<&str>, most: u32) -> Request {
        let prefix = escaped(prefix, false);
        let mut url = format!("{}?restype=container&comp=list&maxresults={most}&prefix={prefix}", self.base);
        if let Some(next) = next {
            url += &format!("&marker={}", escaped(next, false));
        }
        Request::get(url, PAGE)
    }

    fn page(&self, body: &[u8]) -> Result<Page, String> {
        let mut page = Page::default();
        let (mut object, mut is_folder) = (ObjectBuilder::default(), false);
        let (mut is_list, mut bad) = (false, None);
        xml::elements(body, |path, text| match path {
            "Blobs" => is_list = true,
            "NextMarker" if !text.is_empty() => page.next = Some(text.to_owned()),
            "Blobs/Blob/Name" => object.key = Some(text.to_owned()),
            "Blobs/Blob/Properties/Content-Length" => object.size = text.parse().ok(),
            "Blobs/Blob/Properties/Last-Modified" => object.modified = seconds(text).unwrap_or(0),
            "Blobs/Blob/Properties/Etag" => object.version = etag(text),
            // Accounts with a hierarchical namespace list its folders as empty blobs.
            "Blobs/Blob/Properties/ResourceType" => is_folder = text == "directory",
            "Blobs/Blob" => match (object.end(), take(&mut is_folder)) {
                (Some(Object { size: 0, .. }), true) => {}
                (Some(object), _) => page.objects.push(object),
                (None, _) => bad = Some("a blob in the list has no name or size"),
            },
            _ => {}
        })?;
        if !is_list {
            bad = Some("the response is not a list of blobs");
        }
        match bad {
            Some(why) => Err(why.to_owned()),
            None => Ok(page),
        }
    }

    fn read(&self, key: &str, version: Option<&str>, range: Option<&Range<u64>>) -> Request {
        Request::get(self.object(key), 0).ranged(range).matching(version.map(quoted))
    }

    fn metadata_request(&self, key: &str, version: Option<&str>, _: Option<u32>) -> Request {
        Request::head(self.object(key)).matching(version.map(quoted))
    }

    fn version(&self, answer: &Response) -> Option<String> {
        // Listings omit the quotes that the header has.
        etag(answer.header("etag")?).map(|etag| etag.trim_matches('"').to_owned())
    }

    fn metadata(&self, answer: &Response) -> Result<ObjectMetadata, String> {
        let size = answer.header("content-length").and_then(|size| size.parse().ok());
        let mut metadata = ObjectMetadata {
            size: size.ok_or("the service does not report the size of the object")?,
            ..ObjectMetadata::default()
        };
        if let Some(value) = answer.header("content-md5") {
            metadata.checksums.push(Checksum::base64("md5", value, false)?);
        }
        Ok(metadata)
    }
}

fn quoted(version: &str) -> String {
    format!("\"{}\"", version.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn azure_list_pages_are_parsed() {
        let azure = Azure { base: "https://a/c".to_owned() };
        let body = "<EnumerationResults><Blobs><Blob><Name>a b</Name><Properties><Content-Length>4</Content-Length>\
            <Last-Modified>Sun, 06 Nov 1994 08:49:37 GMT</Last-Modified><Etag>0x8D</Etag></Properties></Blob></Blobs><NextMarker>m</NextMarker></EnumerationResults>";
        let page = azure.page(body.as_bytes()).unwrap();
        assert_eq!(
            page.objects,
            [Object { key: "a b".into(), size: 4, version: Some("0x8D".into()), modified: 784_111_777 }]
        );
        assert_eq!(page.next.as_deref(), Some("m"));
        let folder = "<Blob><Name>d</Name><Properties><ResourceType>directory</ResourceType>\
            <Content-Length>0</Content-Length></Properties></Blob></Blobs>";
        let with_folder = body.replace("</Blobs>", folder);
        assert_eq!(azure.page(with_folder.as_bytes()).unwrap().objects, page.objects);
        let with_bytes = with_folder.replace(">0<", ">1<");
        assert_eq!(azure.page(with_bytes.as_bytes()).unwrap().objects.len(), 2, "what has bytes is listed");
        let ask = azure.read("a b", Some("0x8D"), None);
        assert_eq!(
            (&*ask.url, &*ask.headers),
            ("https://a/c/a%20b", &[("if-match", "\"0x8D\"".to_owned())][..])
        );
        assert_eq!(
            azure.page(b"<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>").unwrap(),
            Page::default()
        );
        assert!(azure.page(b"<Error><Code>x</Code></Error>").is_err());
        assert!(azure.page(body.replace("4<", "x<").as_bytes()).is_err());
    }
}
