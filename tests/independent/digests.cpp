// Digests of prefixes of a file by Crypto++, one line each: `crypto++ ALGORITHM LENGTH HEXADECIMAL`.
// usage: digests FILE LENGTH..   (without lengths: of the whole file, for one algorithm for each kind of counter)

#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1
#include <cryptopp/lsh.h>
#include <cryptopp/panama.h>
#include <cryptopp/tiger.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static std::vector<unsigned char> data;
static std::ifstream file;

template <class Hash> static void line(const char *name, const char *length, Hash &hash) {
    unsigned char digest[Hash::DIGESTSIZE];
    hash.Final(digest);
    std::printf("crypto++ %s %s ", name, length);
    for (unsigned char byte : digest)
        std::printf("%02x", byte);
    std::printf("\n");
}

template <class Hash> static void print(const char *name, char **lengths) {
    for (; *lengths; ++lengths) {
        Hash hash;
        hash.Update(data.data(), std::atoi(*lengths));
        line(name, *lengths, hash);
    }
}

template <class Hash> static void whole(const char *name) {
    Hash hash;
    std::vector<unsigned char> slice(1 << 16);
    unsigned long long length = 0;
    file.clear();
    file.seekg(0);
    while (file.read(reinterpret_cast<char *>(slice.data()), slice.size()), file.gcount() > 0) {
        hash.Update(slice.data(), file.gcount());
        length += file.gcount();
    }
    line(name, std::to_string(length).c_str(), hash);
}

int main(int, char **arguments) {
    file.open(arguments[1], std::ios::binary);
    char **lengths = arguments + 2;
    if (!*lengths) {
        whole<CryptoPP::LSH256>("lsh256");
        whole<CryptoPP::LSH512>("lsh512");
        whole<CryptoPP::Weak::PanamaHash<CryptoPP::LittleEndian>>("panama");
        return 0;
    }
    data.assign(std::istreambuf_iterator<char>(file), {});
    print<CryptoPP::LSH224>("lsh256-224", lengths);
    print<CryptoPP::LSH256>("lsh256", lengths);
    print<CryptoPP::LSH384>("lsh512-384", lengths);
    print<CryptoPP::LSH512>("lsh512", lengths);
    print<CryptoPP::LSH512_256>("lsh512-256", lengths);
    print<CryptoPP::Weak::PanamaHash<CryptoPP::LittleEndian>>("panama", lengths);
}
