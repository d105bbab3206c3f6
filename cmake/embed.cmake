# Writes `input`, a text file, as the C++ source `output`: `const char* const damocles::NAME`. Raw
# strings of at most 16 000 bytes each, which every compiler takes.
file(READ ${input} text)
string(LENGTH "${text}" length)
set(literals "")
foreach(start RANGE 0 ${length} 16000)
  string(SUBSTRING "${text}" ${start} 16000 part)
  string(APPEND literals "\n    R\"text(${part})text\"")
endforeach()
file(WRITE ${output} "namespace damocles {\nextern const char* const ${name};\n"
  "const char* const ${name} =${literals};\n}  // namespace damocles\n")
