// Unpacks gzip by zlib, where the program was built with it.

#include "models/gunzip.hpp"

#include <array>
#include <new>

#ifdef DAMOCLES_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

namespace damocles {

#ifdef DAMOCLES_ZLIB

struct Gunzip::Stream {
  z_stream state{};
  std::array<unsigned char, std::size_t{1} << 16U> text{};
  bool ended = false;  // the file in it, and no other one has begun
};

Gunzip::Gunzip() : stream_(std::make_unique<Stream>()) {
  constexpr int gzip_alone = 16;  // added to the size of the window: no other format of zlib
  if (inflateInit2(&stream_->state, MAX_WBITS + gzip_alone) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&stream_->state); }

void Gunzip::feed(std::string_view packed) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the same bytes
  stream_->state.next_in = reinterpret_cast<const unsigned char*>(packed.data());
  stream_->state.avail_in = static_cast<unsigned>(packed.size());
}

std::string_view Gunzip::next() {
  z_stream& state = stream_->state;
  auto& text = stream_->text;
  while (fault_.empty() && state.avail_in > 0) {
    if (stream_->ended) inflateReset(&state);
    state.next_out = text.data();
    state.avail_out = static_cast<unsigned>(text.size());
    const int status = inflate(&state, Z_NO_FLUSH);
    stream_->ended = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      fault_ = "is damaged, or no gzip file";
    }
    const std::size_t bytes = text.size() - state.avail_out;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the same bytes
    if (bytes > 0) return {reinterpret_cast<const char*>(text.data()), bytes};
  }
  return {};
}

bool Gunzip::may_end() const { return stream_->ended; }

#else

struct Gunzip::Stream {};

Gunzip::Gunzip() : fault_("is packed by gzip, which needs zlib1g-dev when damocles is built") {}
Gunzip::~Gunzip() = default;
void Gunzip::feed(std::string_view /*packed*/) {}
std::string_view Gunzip::next() { return {}; }
bool Gunzip::may_end() const { return false; }

#endif

}  // namespace damocles
