"""The test bench for object stores: the server, the proxy that injects faults, and the program under test."""

import hashlib
import os
import subprocess

import servers
from proxy import Proxy

MIB = 1 << 20
SECRET = "testtesttest"


class Failed(Exception):
    """A failed test."""


def check(name, condition, *details):
    if not condition:
        raise Failed("\n  ".join([name, *map(str, details)]))


class Bench:
    """The server, the proxy, the client, and the program under test."""

    def __init__(self, program, gateway, folder, objects):
        self.program, self.folder, self.objects = program, folder, objects
        self.server = servers.versitygw(gateway, folder / "server")
        self.proxy = Proxy(self.server.port)
        import boto3
        from botocore.config import Config
        config = Config(request_checksum_calculation="when_required", retries={"max_attempts": 1}, s3={"addressing_style": "path"}, max_pool_connections=32)
        self.s3 = boto3.client("s3", endpoint_url=self.server.url, aws_access_key_id="test", region_name="us-east-1",
                               aws_secret_access_key=SECRET, config=config)
        self.note = ""

    def run(self, *words, url=None, cwd=None, wait=900, **environment):
        """Returns status, output and errors of the program. A run that takes longer than `wait` seconds counts as hung,
        even on a busy machine."""
        env = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TRUESUM_"))}
        env |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_ENDPOINT_URL": url or self.server.url,
                "HOME": str(self.folder), "AWS_EC2_METADATA_DISABLED": "true"} | environment
        env = {name: value for name, value in env.items() if value is not None}
        result = subprocess.run([self.program, *map(str, words)], env=env, cwd=cwd or self.folder, capture_output=True, timeout=wait,
                              check=False, stdin=subprocess.DEVNULL)
        out, err = result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace")
        check("the output contains a secret", SECRET not in out + err, out, err)
        return result.returncode, out, err

    def bucket(self, name):
        self.s3.create_bucket(Bucket=name)
        return name

    def put(self, bucket, key, body, **options):
        return self.s3.put_object(Bucket=bucket, Key=key, Body=body, **options)

    def multipart(self, bucket, key, body, part=5 * MIB, **options):
        upload = self.s3.create_multipart_upload(Bucket=bucket, Key=key, **options)["UploadId"]
        algorithm = options.get("ChecksumAlgorithm")
        parts = []
        for number, start in enumerate(range(0, len(body), part), 1):
            checksum_options = {"ChecksumAlgorithm": algorithm} if algorithm else {}
            result = self.s3.upload_part(Bucket=bucket, Key=key, UploadId=upload, PartNumber=number, Body=body[start:start + part], **checksum_options)
            checksums = {name: value for name, value in result.items() if name.startswith("Checksum") and name != "ChecksumType"}
            parts.append({"PartNumber": number, "ETag": result["ETag"], **checksums})
        self.s3.complete_multipart_upload(Bucket=bucket, Key=key, UploadId=upload, MultipartUpload={"Parts": parts})


def random_bytes(size, seed=1):
    return hashlib.shake_128(str(seed).encode()).digest(size)
