"""Real servers for the tests of object stores: how they are obtained, started and stopped."""

import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.request

VERSITYGW = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
GCS = "github.com/fsouza/fake-gcs-server@v1.56.1"
# The key of the only account in Azurite's own documentation.
AZURITE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def from_go(package, folder):
    """Returns the program of a Go package, which is built once; None if it is not available."""
    program = folder / "bin" / package.split("@")[0].split("/")[-1]
    if program.exists():
        return program
    if not shutil.which("go"):
        return None
    environment = dict(os.environ, GOBIN=str(folder / "bin"), CGO_ENABLED="0", GOFLAGS="-buildvcs=false")
    try:
        subprocess.run(["go", "install", "-ldflags", "-s -w", package], env=environment, check=True,
                       capture_output=True, timeout=3000)
    except (subprocess.SubprocessError, OSError):
        return None
    return program if program.exists() else None


def azurite(folder):
    """Returns Azurite's blob server, from npm; None if it is not available."""
    program = folder / "node_modules" / ".bin" / "azurite-blob"
    if not program.exists() and shutil.which("npm"):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--prefix", str(folder), "azurite@3.35.0"],
                       capture_output=True, timeout=600, check=False)
    return program if program.exists() else None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A server process that listens on its own port."""

    def __init__(self, command, environment=None, ready="/"):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = [str(word).replace("PORT", str(self.port)) for word in command]
        self.process = subprocess.Popen(command, env=dict(os.environ, **(environment or {})),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while True:
            try:
                urllib.request.urlopen(self.url + ready, timeout=2).close()
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise SystemExit(f"stores: {command[0]} does not start")
                time.sleep(0.05)

    def stop(self):
        self.process.kill()
        self.process.wait()


def versitygw(program, folder, *more):
    """Starts an S3 server over a folder."""
    for name in ("data", "meta"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    secrets = {"ROOT_ACCESS_KEY": "test", "ROOT_SECRET_KEY": "testtesttest"}
    command = [program, "-q", "--port", "127.0.0.1:PORT", "--keep-alive", "--health", "/healthz", *more,
               "posix", "--sidecar", folder / "meta", folder / "data"]
    return Server(command, secrets, "/healthz")


def cache():
    """Returns where built servers are kept between runs."""
    usual = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "servers"
    return pathlib.Path(os.environ.get("TRUESUM_SERVERS", usual)).resolve()
