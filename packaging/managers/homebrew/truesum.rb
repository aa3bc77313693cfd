class Truesum < Formula
  desc "Compute and verify file checksums"
  homepage "@REPOSITORY@"
  url "@URL:truesum-@VERSION@.tar.gz@"
  sha256 "@SHA256:truesum-@VERSION@.tar.gz@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "build", "--locked", "--release", "--package", "truesum-cli", "--features", "full,stores"
    system "packaging/install", "target/release/truesum", prefix
  end

  test do
    (testpath/"data").write "abc"
    system bin/"truesum", "hash", "-o", "SHA256SUMS", "data"
    system bin/"truesum", "check", "SHA256SUMS"
    assert_match "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", (testpath/"SHA256SUMS").read
    (testpath/"data").write "abd"
    shell_output("#{bin}/truesum check SHA256SUMS", 1)
  end
end
