#pragma once
// Lists of texts through a socket, whole or not at all: between a process and its compilers.
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardfft::device::lines {

/// No signal is raised if the reader has ended. A wait beyond the socket's limit counts as failure.
inline bool send_all(int socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno != EINTR) return false;
    if (now > 0) sent += static_cast<std::size_t>(now);
  }
  return true;
}
inline bool receive_all(int socket, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t now = ::recv(socket, bytes, count, 0);
    if (now == 0 || (now < 0 && errno != EINTR)) return false;
    if (now > 0) bytes += now, count -= static_cast<std::size_t>(now);
  }
  return true;
}

inline bool send_texts(int socket, const std::vector<std::string>& texts) {
  std::string all;
  const auto add = [&all](std::uint64_t number) { all.append(reinterpret_cast<const char*>(&number), sizeof number); };
  add(texts.size());
  for (const std::string& text : texts) {
    add(text.size());
    all += text;
  }
  return send_all(socket, all);
}
inline std::optional<std::vector<std::string>> receive_texts(int socket) {
  constexpr std::uint64_t most_texts = 256, most_bytes = std::uint64_t{1} << 26;  // more is no message
  std::uint64_t left = most_bytes;
  std::uint64_t count = 0, size = 0;
  const auto take = [&](std::uint64_t& n) {
    if (left < sizeof n || !receive_all(socket, reinterpret_cast<char*>(&n), sizeof n)) return false;
    left -= sizeof n;
    return n <= left;
  };
  if (!take(count) || count > most_texts) return std::nullopt;
  std::vector<std::string> texts;
  for (; count > 0; --count) {
    if (!take(size)) return std::nullopt;
    left -= size;
    texts.emplace_back(size, '\0');
    if (!receive_all(socket, texts.back().data(), size)) return std::nullopt;
  }
  return texts;
}

}  // namespace shardfft::device::lines
