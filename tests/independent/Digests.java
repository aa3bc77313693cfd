// Digests of prefixes of a file by saphir-hash and Bouncy Castle, one line each: `ALGORITHM LENGTH HEXADECIMAL`.
// usage: java -cp JARS Digests.java FILE LENGTH..
//        java -cp JARS Digests.java FILE --whole ALGORITHM..

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.bouncycastle.crypto.Digest;
import org.bouncycastle.crypto.Xof;
import org.bouncycastle.crypto.digests.*;

class Digests {
    interface Function { byte[] of(InputStream message) throws IOException; }

    interface Taker { void take(byte[] bytes, int from, int length); }

    static void feed(InputStream message, Taker taker) throws IOException {
        var slice = new byte[1 << 16];
        for (int length; (length = message.read(slice)) > 0; ) {
            taker.take(slice, 0, length);
        }
    }

    static Function saphir(String name) {
        return message -> {
            try {
                var digest = (fr.cryptohash.Digest) Class.forName("fr.cryptohash." + name).getConstructor().newInstance();
                feed(message, digest::update);
                return digest.digest();
            } catch (ReflectiveOperationException why) {
                throw new IllegalStateException(why);
            }
        };
    }

    static Function castle(Supplier<Digest> make) {
        return message -> {
            var digest = make.get();
            var out = new byte[digest.getDigestSize()];
            feed(message, digest::update);
            digest.doFinal(out, 0);
            return out;
        };
    }

    static Function output(Supplier<Xof> make, int length) {
        return message -> {
            var xof = make.get();
            var out = new byte[length];
            feed(message, xof::update);
            xof.doFinal(out, 0, length);
            return out;
        };
    }

    static Function end(Function function, int length) {
        return message -> {
            var all = function.of(message);
            return Arrays.copyOfRange(all, all.length - length, all.length);
        };
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Function> functions = new LinkedHashMap<>();
        for (var bits : new int[] {224, 256, 384, 512}) {
            functions.put("saphir jh" + bits, saphir("JH" + bits));
            functions.put("saphir groestl" + bits, saphir("Groestl" + bits));
            functions.put("saphir blake-" + bits, saphir("BLAKE" + bits));
            functions.put("saphir shabal" + bits, saphir("Shabal" + bits));
        }
        functions.put("saphir shabal192", saphir("Shabal192"));
        functions.put("saphir panama", saphir("PANAMA"));
        functions.put("saphir whirlpool-0", saphir("Whirlpool0"));
        functions.put("saphir whirlpool-t", saphir("Whirlpool1"));
        functions.put("saphir sha0", saphir("SHA0"));
        functions.put("saphir tiger2", saphir("Tiger2"));
        functions.put("saphir md2", saphir("MD2"));
        functions.put("saphir ripemd128", saphir("RIPEMD128"));
        functions.put("saphir skein512-256", saphir("Skein256"));
        functions.put("saphir skein512", saphir("Skein512"));
        functions.put("castle kupyna256", castle(() -> new DSTU7564Digest(256)));
        functions.put("castle kupyna384", castle(() -> new DSTU7564Digest(384)));
        functions.put("castle kupyna512", castle(() -> new DSTU7564Digest(512)));
        // In the standard, every length up to 256 bits is the end of the same state.
        functions.put("castle kupyna224", end(castle(() -> new DSTU7564Digest(256)), 28));
        functions.put("castle skein256", castle(() -> new SkeinDigest(256, 256)));
        functions.put("castle skein512", castle(() -> new SkeinDigest(512, 512)));
        functions.put("castle skein1024", castle(() -> new SkeinDigest(1024, 1024)));
        functions.put("castle blake2bp", castle(() -> new Blake2bpDigest(null)));
        functions.put("castle blake2sp", castle(() -> new Blake2spDigest(null)));
        functions.put("castle blake2xs", castle(() -> new Blake2xsDigest(32)));
        functions.put("castle kt128", output(() -> new Kangaroo.KangarooTwelve(), 32));
        functions.put("castle m14", output(() -> new Kangaroo.MarsupilamiFourteen(), 64));
        functions.put("castle parallelhash128", output(() -> new ParallelHash(128, null, 8192, 256), 32));
        functions.put("castle parallelhash256", output(() -> new ParallelHash(256, null, 8192, 512), 64));
        functions.put("castle gost94-cryptopro", castle(() -> new GOST3411Digest()));
        var path = Path.of(arguments[0]);
        var rest = Arrays.asList(arguments).subList(1, arguments.length);
        var out = new PrintStream(System.out, false);
        if (rest.get(0).equals("--whole")) {
            for (var function : functions.entrySet()) {
                if (rest.contains(function.getKey().split(" ")[1])) {
                    try (var message = Files.newInputStream(path)) {
                        print(out, function, Files.size(path), message);
                    }
                }
            }
        } else {
            var data = Files.readAllBytes(path);
            for (var function : functions.entrySet()) {
                for (var length : rest) {
                    var message = new ByteArrayInputStream(data, 0, Integer.parseInt(length));
                    print(out, function, Long.parseLong(length), message);
                }
            }
        }
        out.flush();
    }

    static void print(PrintStream out, Map.Entry<String, Function> function, long length, InputStream message) throws IOException {
        var digest = function.getValue().of(message);
        out.println(function.getKey() + " " + length + " " + HexFormat.of().formatHex(digest));
    }
}
