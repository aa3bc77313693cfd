// Checksums of files from HDFS, with a name node and a data node in this process, one line each: `ALGORITHM LENGTH HEXADECIMAL`.
// usage: java -cp JARS Hadoop.java FOLDER FILE BLOCK LENGTH..

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.hdfs.MiniDFSCluster;

class Hadoop {
    public static void main(String[] words) throws Exception {
        var data = Files.readAllBytes(Path.of(words[1]));
        for (var type : new String[] {"CRC32C", "CRC32"}) {
            for (var combined : new String[] {"MD5MD5CRC", "COMPOSITE_CRC"}) {
                var settings = new Configuration();
                settings.set("dfs.checksum.type", type);
                settings.set("dfs.checksum.combine.mode", combined);
                settings.set("dfs.blocksize", words[2]);
                settings.set("dfs.namenode.fs-limits.min-block-size", "512");
                settings.setInt("dfs.replication", 1);
                var folder = new File(words[0], type + combined);
                try (var cluster = new MiniDFSCluster.Builder(settings, folder).numDataNodes(1).build()) {
                    var files = cluster.getFileSystem();
                    for (int at = 3; at < words.length; at++) {
                        int length = Integer.parseInt(words[at]);
                        var path = new org.apache.hadoop.fs.Path("/" + length);
                        try (var out = files.create(path)) {
                            out.write(data, 0, length);
                        }
                        FileChecksum checksum = files.getFileChecksum(path);
                        String name = (combined.startsWith("MD5") ? "hdfs-md5-" : "") + type.toLowerCase();
                        System.out.println("hadoop " + name + " " + length + " " + HexFormat.of().formatHex(checksum.getBytes()));
                    }
                }
            }
        }
        System.exit(0);
    }
}
