// last_words.h: what is said where no message can be thrown: a library's thread, or the threads' own library,
// ended the program because memory or threads ran out. The exit status is that of a failed run.
#pragma once

#include <string>

namespace glug {

// While it lives, such an end says why and then these words: what is safe, how to go on.
class LastWords {
 public:
  explicit LastWords(const std::string& words);
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  ~LastWords();
};

// For the whole program, once, at its start.
void prepare_last_words();

}  // namespace glug
