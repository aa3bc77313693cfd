{ lib, rustPlatform }:

let
  root = ../../..;
  # The version and the repository are those of the workspace.
  workspace = (builtins.fromTOML (builtins.readFile (root + "/Cargo.toml"))).workspace.package;
in
rustPlatform.buildRustPackage {
  pname = "truesum";
  inherit (workspace) version;

  src = lib.cleanSource root;
  cargoLock.lockFile = root + "/Cargo.lock";

  cargoBuildFlags = [ "--package" "truesum-cli" ];
  buildFeatures = [ "full" "stores" ];
  # The tests compare with programs that are not part of the build environment.
  doCheck = false;

  postInstall = ''
    bash packaging/install $out/bin/truesum $TMPDIR/installed
    cp -r $TMPDIR/installed/share $out
  '';

  meta = {
    inherit (workspace) description;
    homepage = workspace.repository;
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "truesum";
    platforms = lib.platforms.unix;
  };
}
