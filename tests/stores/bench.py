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


def check(what, true, *told):
    if not true:
        raise Failed("\n  ".join([what, *map(str, told)]))


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
        self.said = ""

    def run(self, *words, url=None, cwd=None, wait=900, **environment):
        """Returns status, output and errors of the program. A run that takes longer than `wait` seconds counts as hung,
        even on a busy machine."""
        env = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TRUESUM_"))}
        env |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_ENDPOINT_URL": url or self.server.url,
                "HOME": str(self.folder), "AWS_EC2_METADATA_DISABLED": "true"} | environment
        env = {name: value for name, value in env.items() if value is not None}
        done = subprocess.run([self.program, *map(str, words)], env=env, cwd=cwd or self.folder, capture_output=True, timeout=wait,
                              check=False, stdin=subprocess.DEVNULL)
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        check("a secret is shown", SECRET not in out + err, out, err)
        return done.returncode, out, err

    def bucket(self, name):
        self.s3.create_bucket(Bucket=name)
        return name

    def put(self, bucket, key, body, **more):
        return self.s3.put_object(Bucket=bucket, Key=key, Body=body, **more)

    def multipart(self, bucket, key, body, part=5 * MIB, **more):
        upload = self.s3.create_multipart_upload(Bucket=bucket, Key=key, **more)["UploadId"]
        algorithm = more.get("ChecksumAlgorithm")
        parts = []
        for number, at in enumerate(range(0, len(body), part), 1):
            given = {"ChecksumAlgorithm": algorithm} if algorithm else {}
            done = self.s3.upload_part(Bucket=bucket, Key=key, UploadId=upload, PartNumber=number, Body=body[at:at + part], **given)
            kept = {name: value for name, value in done.items() if name.startswith("Checksum") and name != "ChecksumType"}
            parts.append({"PartNumber": number, "ETag": done["ETag"], **kept})
        self.s3.complete_multipart_upload(Bucket=bucket, Key=key, UploadId=upload, MultipartUpload={"Parts": parts})


def noise(size, seed=1):
    return hashlib.shake_128(str(seed).encode()).digest(size)
