// Digests of the beginnings of a file by Crypto++: `crypto++ ALGORITHM LENGTH HEXADECIMAL`, a line each.
// usage: digests FILE LENGTH..

#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1
#include <cryptopp/lsh.h>
#include <cryptopp/panama.h>
#include <cryptopp/tiger.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

static std::vector<unsigned char> data;

template <class Hash> static void print(const char *name, char **lengths) {
    for (; *lengths; ++lengths) {
        unsigned char digest[Hash::DIGESTSIZE];
        Hash hash;
        hash.CalculateDigest(digest, data.data(), std::atoi(*lengths));
        std::printf("crypto++ %s %s ", name, *lengths);
        for (unsigned char byte : digest)
            std::printf("%02x", byte);
        std::printf("\n");
    }
}

int main(int, char **arguments) {
    std::ifstream file(arguments[1], std::ios::binary);
    data.assign(std::istreambuf_iterator<char>(file), {});
    char **lengths = arguments + 2;
    print<CryptoPP::LSH224>("lsh256-224", lengths);
    print<CryptoPP::LSH256>("lsh256", lengths);
    print<CryptoPP::LSH384>("lsh512-384", lengths);
    print<CryptoPP::LSH512>("lsh512", lengths);
    print<CryptoPP::LSH512_256>("lsh512-256", lengths);
    print<CryptoPP::Weak::PanamaHash<CryptoPP::LittleEndian>>("panama", lengths);
}
