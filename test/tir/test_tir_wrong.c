// Tyre property files that are wrong: each is refused in one line that says where, what was found and
// what is expected instead.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "tir/tir.h"
#include "tir/tir_scan.h"

// A file that is right; each case has one line of it replaced.
static const char *const right[] = {
    "[MDI_HEADER]",                 // 1
    "FILE_TYPE = 'tir'",            // 2
    "FILE_FORMAT = 'ASCII'",        // 3
    "[UNITS]",                      // 4
    "LENGTH = 'meter'",             // 5
    "FORCE = 'newton'",             // 6
    "[MODEL]",                      // 7
    "FITTYP = 61",                  // 8
    "USE_MODE = 14",                // 9
    "LONGVL = 16.7",                // 10
    "TYRESIDE = 'LEFT'",            // 11
    "[DIMENSION]",                  // 12
    "UNLOADED_RADIUS = 0.3135",     // 13
    "RIM_RADIUS = 0.1905",          // 14
    "[VERTICAL]",                   // 15
    "FNOMIN = 4000",                // 16
    "VERTICAL_STIFFNESS = 209651",  // 17
    "[LONG_SLIP_RANGE]",            // 18
    "KPUMIN = -1",                  // 19
    "KPUMAX = 1",                   // 20
    "[SCALING_COEFFICIENTS]",       // 21
    "LFZO = 1",                     // 22
    "[LATERAL_COEFFICIENTS]",       // 23
    "PCY1 = 1.3",                   // 24
    "[BOTTOMING_CURVE]",            // 25
    "{pen fz}",                     // 26
    "0 0",                          // 27
    "0.01 2000",                    // 28
    "0.02 4500",                    // 29
    "[SHAPE]",                      // 30
    "{radial width}",               // 31
    "1.0 0.0",                      // 32
};

enum { NRIGHT = sizeof right / sizeof *right };

static const struct {
  int line;
  const char *text, *says;  // says: behind "t.tir:", all of it
} cases[] = {
    // lines
    {1, "FILE_TYPE = 'tir'", "1:1: found \"FILE_TYPE\", expected a [SECTION] before the first key"},
    {1, "hello", "1:1: found \"hello\", expected a [SECTION]"},
    {1, "{a b}", "1:2: found \"a b\", expected a [SECTION] before the first table"},
    {4, "[UNITS", "4:1: found \"[UNITS\", expected [SECTION]"},
    {4, "[]", "4:1: found \"[]\", expected a name inside the brackets"},
    {4, " [UNITS] x",
     "4:10: found \"x\", expected the end of the line or a comment behind the bracket"},
    {8, "FITTYP 61", "8:1: found \"FITTYP 61\", expected KEY = value"},
    {8, "FIT TYP = 61", "8:1: found \"FIT TYP = 61\", expected KEY = value"},
    {8, "= 61", "8:1: found \"= 61\", expected KEY = value"},
    {8, "9LIVES = 61", "8:1: found \"9LIVES = 61\", expected KEY = value"},
    {8, "caf\xe9 = 61", "8:1: found \"caf\\xe9 = 61\", expected KEY = value"},
    {10, "{a b", "10:1: found \"{a b\", expected {columns}"},
    {10, "(a b", "10:1: found \"(a b\", expected (sub-section)"},
    {11, "TYRESIDE = 'LEFT",
     "11:12: found \"'LEFT\", expected a text whose quote is closed in the same line"},
    {11, "TYRESIDE = 'LEFT\" $ '",
     "11:13: TYRESIDE: found \"LEFT\" $ \", expected 'LEFT', 'RIGHT', 'SYMMETRIC' or 'UNKNOWN'"},
    {11, "TYRESIDE = 'LEFT' side",
     "11:19: found \"side\", expected the end of the line or a comment behind the text"},
    // header and units
    {2, "FILE_TYPE = 'rdf'", "2:14: FILE_TYPE: found \"rdf\", expected 'tir'"},
    {3, "FILE_FORMAT = 'BINARY'", "3:16: FILE_FORMAT: found \"BINARY\", expected 'ASCII'"},
    {5, "LENGTH = 'furlong'",
     "5:11: LENGTH: found \"furlong\", expected one of meter, metre, meters,"},
    {5, "LENGTH = 'newton'", "5:11: LENGTH: found \"newton\", expected one of meter"},
    {6, "LENGTH = 'mm'", "6:1: LENGTH: is given twice, first in line 5"},
    {6, "PRESSURE = 'at'", "6:13: PRESSURE: found \"at\", expected one of pascal, pa, kpascal, "},
    // numbers
    {13, "UNLOADED_RADIUS = 0,3135", "13:19: UNLOADED_RADIUS: found \"0,3135\", expected a number"},
    {13, "UNLOADED_RADIUS = 0.31 m", "13:19: UNLOADED_RADIUS: found \"0.31 m\", expected a number"},
    {13, "UNLOADED_RADIUS = '0.31'",
     "13:20: UNLOADED_RADIUS: found \"0.31\", expected a number (without quotes)"},
    {13, "UNLOADED_RADIUS = 0x1p3", "13:19: UNLOADED_RADIUS: found \"0x1p3\", expected a number"},
    {13, "UNLOADED_RADIUS = 1e", "13:19: UNLOADED_RADIUS: found \"1e\", expected a number"},
    {13, "UNLOADED_RADIUS = .", "13:19: UNLOADED_RADIUS: found \".\", expected a number"},
    {13, "UNLOADED_RADIUS = 1.2.3", "13:19: UNLOADED_RADIUS: found \"1.2.3\", expected a number"},
    {13, "UNLOADED_RADIUS = --1", "13:19: UNLOADED_RADIUS: found \"--1\", expected a number"},
    {13, "UNLOADED_RADIUS = nan",
     "13:19: UNLOADED_RADIUS: found \"nan\", expected a finite number"},
    {13, "UNLOADED_RADIUS = -Inf",
     "13:19: UNLOADED_RADIUS: found \"-Inf\", expected a finite number"},
    {13, "UNLOADED_RADIUS = 1D999",
     "13:19: UNLOADED_RADIUS: found \"1D999\", expected a finite number"},
    {13, "WIDTH = infinity", "13:9: WIDTH: found \"infinity\", expected a finite number"},
    {5, "LENGTH = 'mm'\nUNITS = 1\n[X]\n[VERTICAL]\nBOTTOM_STIFF = 1e306\n[UNITS]",
     "9:16: BOTTOM_STIFF: is too large for a double in SI units"},
    // given twice
    {17, "FNOMIN = 4000", "17:1: FNOMIN: is given twice, first in line 16"},
    {17, "Q_FZ1 = 15\nQFZ1 = 15", "18:1: Q_FZ1: is given twice, first in line 17"},
    {17, "IP = 2e5\nINFLPRES = 2e5", "18:1: INFLPRES: is given twice, first in line 17"},
    {10, "TYRESIDE = 'RIGHT'", "11:1: TYRESIDE: is given twice, first in line 10"},
    {30, "[BOTTOMING_CURVE]\n0 0\n[SHAPE]",
     "30:1: BOTTOMING_CURVE: has 1 row, expected at least 2"},  // the last one counts
    {8, "PROPERTY_FILE_FORMAT = 'PAC2002'\nPROPERTY_FILE_FORMAT = 'PAC2002'",
     "9:1: PROPERTY_FILE_FORMAT: is given twice, first in line 8"},
    // versions
    {8, "", " has no version; expected FITTYP = 61 or PROPERTY_FILE_FORMAT = 'PAC2002'"},
    {8, "PROPERTY_FILE_FORMAT = 'MF-TYRE'", " has no version; "},
    {8, "FITTYP = 60",
     "8:10: FITTYP: found 60, expected 5, 6, 21 or 52 (Magic Formula 5.2), 61 or 62 (6.1)"},
    {8, "FITTYP = 61.5", "8:10: FITTYP: found 61.5, expected 5, 6, 21 or 52"},
    {8, "FITTYP = -6", "8:10: FITTYP: found -6, expected 5, 6, 21 or 52"},
    {8, "FITTYP = 70",
     "8:10: FITTYP: found 70, expected 5, 6, 21 or 52 (Magic Formula 5.2), 61 or 62 (6.1); later "
     "versions are not published, a fit to 6.1 is needed"},
    {10, "PROPERTY_FILE_FORMAT = 'PAC2002'",
     "8:10: FITTYP: found 61, expected 6 or none: the file names 'PAC2002'"},
    {8, "PROPERTY_FILE_FORMAT = 'PAC3000'",
     "8:25: PROPERTY_FILE_FORMAT: found \"PAC3000\", expected 'PAC2002', 'MF_05' or 'MF-TYRE'"},
    {8, "PROPERTY_FILE_FORMAT = 'PAC89'",
     "8:25: PROPERTY_FILE_FORMAT: found \"PAC89\": another formula with other coefficients; a fit "
     "to "
     "PAC2002 is expected"},
    {8, "PROPERTY_FILE_FORMAT = 'pac94'", "8:25: PROPERTY_FILE_FORMAT: found \"PAC94\": another "},
    {8, "PROPERTY_FILE_FORMAT = '5.2.1'",
     "8:25: PROPERTY_FILE_FORMAT: found \"5.2.1\": a tyre of a few stiffnesses; a model's own "
     "`type: "
     "brush` is the nearest to it"},
    {8, "PROPERTY_FILE_FORMAT = 'PAC-TIME'",
     "8:25: PROPERTY_FILE_FORMAT: found \"PAC-TIME\": has an aligning moment of its own; "},
    {8, "PROPERTY_FILE_FORMAT = 'PAC_MC'",
     "8:25: PROPERTY_FILE_FORMAT: found \"PAC_MC\": is for motorcycles, "},
    {8, "PROPERTY_FILE_FORMAT = 'PAC_MOTORCYCLE'",
     "8:25: PROPERTY_FILE_FORMAT: found \"PAC_MOTORCYCLE\": is for motorcycles, "},
    {8, "PROPERTY_FILE_FORMAT = 'FIALA'",
     "8:25: PROPERTY_FILE_FORMAT: found \"FIALA\": a tyre of a "},
    {8, "PROPERTY_FILE_FORMAT = 'UA'", "8:25: PROPERTY_FILE_FORMAT: found \"UA\": a tyre of a "},
    {8, "PROPERTY_FILE_FORMAT = 'FTIRE'",
     "8:25: PROPERTY_FILE_FORMAT: found \"FTIRE\": a structural model that is not published; "
     "PAC2002 "
     "and Magic Formula 5.2, 6.1 and 6.2 are read"},
    {8, "PROPERTY_FILE_FORMAT = 'SWIFT'",
     "8:25: PROPERTY_FILE_FORMAT: found \"SWIFT\": has a rigid ring; "},
    {9, "USE_MODE = 15",
     "9:12: USE_MODE: found 15, expected 4 in the last digit: 5 has turn slip, which is not "
     "computed"},
    {9, "USE_MODE = 34",
     "9:12: USE_MODE: found 34, expected 0, 1 or 2 in the tens: 3 and 4 have a rigid ring, which "
     "is "
     "not computed"},
    {9, "USE_MODE = 7", "9:12: USE_MODE: found 7, expected 0 to 4 in the last digit"},
    {9, "USE_MODE = 54", "9:12: USE_MODE: found 54, expected 0, 1 or 2 in the tens"},
    {9, "USE_MODE = 4.5",
     "9:12: USE_MODE: found 4.5, expected 0 to 4, plus 10 or 20 with relaxation"},
    {9, "USE_MODE = 514", "9:12: USE_MODE: found 514, expected 0 to 4, plus 10 or 20"},
    {9, "USE_MODE = 1e300", "9:12: USE_MODE: found 1e+300, expected 0 to 4, plus 10 or 20"},
    {11, "TYRESIDE = 'FRONT'",
     "11:13: TYRESIDE: found \"FRONT\", expected 'LEFT', 'RIGHT', 'SYMMETRIC' or 'UNKNOWN'"},
    // ranges
    {13, "UNLOADED_RADIUS = 0", "13:19: UNLOADED_RADIUS: is 0 in SI units, must be above zero"},
    {14, "RIM_RADIUS = -0.1", "14:14: RIM_RADIUS: is -0.1 in SI units, must be above zero"},
    {14, "RIM_RADIUS = 0.4",
     "13:19: UNLOADED_RADIUS: is 0.3135 in SI units, must be above RIM_RADIUS (0.4, line 14)"},
    {16, "FNOMIN = -4000", "16:10: FNOMIN: is -4000 in SI units, must be above zero"},
    {17, "VERTICAL_STIFFNESS = 0",
     "17:22: VERTICAL_STIFFNESS: is 0 in SI units, must be above zero"},
    {17, "VERTICAL_STIFFNESS = 2e5\nVERTICAL_DAMPING = -1",
     "18:20: VERTICAL_DAMPING: is -1 in SI units, must be zero or above"},
    {17, "Q_RE0 = -1", "17:9: Q_RE0: is -1 in SI units, must be above zero"},
    {17, "Q_FZ1 = -3", "17:9: Q_FZ1: is -3 in SI units, must be zero or above"},
    {10, "LONGVL = 0", "10:10: LONGVL: is 0 in SI units, must be above zero"},
    {10, "VXLOW = -1", "10:9: VXLOW: is -1 in SI units, must be zero or above"},
    {10, "NOMPRES = 0", "10:11: NOMPRES: is 0 in SI units, must be above zero"},
    {22, "LFZO = 0", "22:8: LFZO: is 0 in SI units, must be above zero"},
    {22, "LMUY = -1", "22:8: LMUY: is -1 in SI units, must be above zero"},
    {22, "LCZ = 0", "22:7: LCZ: is 0 in SI units, must be above zero"},
    {20, "KPUMAX = -1", "20:10: KPUMAX: is -1 in SI units, must be above KPUMIN (-1, line 19)"},
    {20, "FZMIN = 2\nFZMAX = 1", "21:9: FZMAX: is 1 in SI units, must be above FZMIN (2, line 20)"},
    {20, "ALPMIN = 2\nALPMAX = 1", "21:10: ALPMAX: is 1 in SI units, must be above ALPMIN"},
    {20, "CAMMIN = 2\nCAMMAX = 1", "21:10: CAMMAX: is 1 in SI units, must be above CAMMIN"},
    {20, "PRESMIN = 2\nPRESMAX = 1", "21:11: PRESMAX: is 1 in SI units, must be above PRESMIN"},
    // tables
    {26, "{fz pen}", "26:2: BOTTOMING_CURVE: found \"fz pen\", expected the columns {pen fz}"},
    {26, "{pen fz t}", "26:2: BOTTOMING_CURVE: found \"pen fz t\", expected the columns {pen fz}"},
    {26, "PCX1 = 1", "26:1: BOTTOMING_CURVE: found \"PCX1\", expected rows of two numbers"},
    {28, "0.01", "28:1: BOTTOMING_CURVE: found \"0.01\", expected a row of two numbers"},
    {28, "0.01 2 3",
     "28:8: BOTTOMING_CURVE: found \"3\", expected the end of a row of two numbers"},
    {28, "0.01 two", "28:6: BOTTOMING_CURVE: found \"two\", expected a number"},
    {28, "inf 2", "28:1: BOTTOMING_CURVE: found \"inf\", expected a finite number"},
    {28, "0.02 2",
     "29:1: BOTTOMING_CURVE: pen is 0.02 m, must be above that of the row before (0.02"},
    {28, "0.01 5e3",
     "29:1: BOTTOMING_CURVE: fz is 4500 N, must not be below that of the row before"},
    {27, "-1 0", "27:1: BOTTOMING_CURVE: pen -1 and fz 0 in SI units must be zero or above"},
    {27, "0 -1", "27:1: BOTTOMING_CURVE: pen 0 and fz -1 in SI units must be zero or above"},
    {28, "[SHAPE]", "25:1: BOTTOMING_CURVE: has 1 row, expected at least 2"},
    {24, "[DEFLECTION_LOAD_CURVE]", "24:1: DEFLECTION_LOAD_CURVE: has 0 rows, expected at least 2"},
    {29,
     "0.02 1e308\n[UNITS]\nTIME='s'\n[DEFLECTION_LOAD_CURVE]\n0 0\n1 1e306\n[UNITS]\n"
     "PRESSURE='bar'",
     NULL},  // right: only what overflows in SI units is wrong
    {6, "FORCE = 'kilonewton'\n[DEFLECTION_LOAD_CURVE]\n0 0\n1 1e306",
     "9:1: a number of this row is too large for a double in SI units"},
    // absent
    {13, "",
     " lacks UNLOADED_RADIUS, expected in [DIMENSION] or set as coefficients.UNLOADED_RADIUS"},
    {16, "FNOMIN =", " lacks FNOMIN, expected in [VERTICAL]"},
    {17, "",
     " lacks a vertical stiffness, expected VERTICAL_STIFFNESS in [VERTICAL], Q_FZ1 or a "
     "[DEFLECTION_LOAD_CURVE]"},
    {17, "QFZ1 = 0", " lacks a vertical stiffness, expected VERTICAL_STIFFNESS"},
    {23, "[LATERAL_COEFICIENTS]",
     "24:1: PCY1: stands in [LATERAL_COEFICIENTS], which is not a section known here, expected "
     "[LATERAL_COEFFICIENTS]"},
    {15, "[VERTIKAL]", "16:1: FNOMIN: stands in [VERTIKAL], which is not a section known here, "},
};

static jn_status parse(const char *text, size_t length, char *line, size_t size)
{
  jn_pool pool = {0};
  jn_tir t;
  jn_error err = {0};
  const jn_status st = jn_tir_parse(text, length, "t.tir", &pool, &t, &err);
  assert_int_equal(st, err.code);
  jn_error_line(&err, line, size);
  jn_pool_free(&pool);
  return st;
}

static void each_mistake_is_reported_with_its_place(void **state)
{
  (void)state;
  int wrong = 0;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    char text[4096] = "", line[1024], expected[1024];
    for (int i = 0; i < NRIGHT; i++) {
      strcat(text, i + 1 == cases[c].line ? cases[c].text : right[i]);
      strcat(text, "\n");
    }
    const jn_status st = parse(text, strlen(text), line, sizeof line);
    snprintf(expected, sizeof expected, "t.tir:%s", cases[c].says ? cases[c].says : "");
    if (!cases[c].says ? st != JN_OK : !st || strncmp(line, expected, strlen(expected))) {
      print_error("%s\n  gives    %s\n  expected %s\n", cases[c].text, line, expected);
      wrong++;
    }
  }
  assert_int_equal(wrong, 0);
}

static void the_file_of_the_cases_is_right(void **state)
{
  (void)state;
  char text[4096] = "", line[1024];
  for (int i = 0; i < NRIGHT; i++) strcat(strcat(text, right[i]), "\n");
  assert_int_equal(parse(text, strlen(text), line, sizeof line), JN_OK);
}

static void a_square_alone_is_no_stiffness(void **state)
{
  (void)state;
  char line[1024];
  static const char text[] =
      "[MODEL]\nFITTYP = 6\nUNLOADED_RADIUS = 0.3\nFNOMIN = 4000\nQ_FZ2 = 14\n";
  assert_int_equal(parse(text, strlen(text), line, sizeof line), JN_E_SCHEMA);
  assert_string_equal(line,
                      "t.tir: lacks a vertical stiffness, expected VERTICAL_STIFFNESS in "
                      "[VERTICAL], Q_FZ1 or a [DEFLECTION_LOAD_CURVE], or "
                      "coefficients.VERTICAL_STIFFNESS set");
}

static void zero_bytes_are_refused(void **state)
{
  (void)state;
  char line[1024];
  static const char text[] = "[MODEL]\n$ a\0b\n", wide[] = "[\0M\0O\0";
  assert_int_equal(parse(text, sizeof text - 1, line, sizeof line), JN_E_PARSE);
  assert_string_equal(line,
                      "t.tir:2:4: found a zero byte, expected text in ASCII, UTF-8 or Latin-1");
  assert_int_equal(parse(wide, sizeof wide - 1, line, sizeof line), JN_E_PARSE);
  assert_string_equal(line,
                      "t.tir:1:2: found a zero byte, expected text in ASCII, UTF-8 or Latin-1");
}

static void an_empty_file_is_refused(void **state)
{
  (void)state;
  char line[1024];
  static const char *const texts[] = {"", "\n\n", "$ only comments", "\xef\xbb\xbf", "[MODEL]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_int_equal(parse(texts[i], strlen(texts[i]), line, sizeof line), JN_E_SCHEMA);
    assert_non_null(strstr(line, "has no version"));
  }
}

static void more_than_the_limits_is_refused(void **state)
{
  (void)state;
  const size_t most = TIR_MOST_BYTES;
  char line[1024], *text = malloc(most + 1);
  assert_non_null(text);
  memset(text, ' ', most + 1);
  assert_int_equal(parse(text, most + 1, line, sizeof line), JN_E_LIMIT);
  assert_string_equal(line, "t.tir: has 4194305 bytes, a tyre property file has at most 4194304");
  assert_int_equal(parse(text, most, line, sizeof line), JN_E_LIMIT);
  assert_string_equal(line, "t.tir:1:1: is a line of more than 4096 bytes");
  text[TIR_LONGEST_LINE + 1] =
      '\n';  // one byte too many, where the largest file has lines that fit
  assert_int_equal(parse(text, TIR_LONGEST_LINE + 2, line, sizeof line), JN_E_LIMIT);
  assert_string_equal(line, "t.tir:1:1: is a line of more than 4096 bytes");
  memset(text, '\n', most);
  assert_int_equal(parse(text, most, line, sizeof line), JN_E_LIMIT);
  assert_string_equal(line, "t.tir:20001:1: is one line too many: at most 20000 are read");
  int at = sprintf(text, "[BOTTOMING_CURVE]\n");
  for (int i = 0; i < 32; i++) at += sprintf(text + at, "%d %d\n", i, i);
  assert_int_equal(parse(text, (size_t)at, line, sizeof line), JN_E_LIMIT);
  assert_string_equal(line,
                      "t.tir:33:1: BOTTOMING_CURVE: is one row too many: at most 31 are read");
  free(text);
}

// Whatever is cut off or changed, there is a tyre or an error that points into the text.
static void damaged_files_give_a_tyre_or_a_place(void **state)
{
  (void)state;
  char text[4096] = "", copy[4096], line[1024];
  int lines = 0, refused = 0;
  for (int i = 0; i < NRIGHT; i++, lines++) strcat(strcat(text, right[i]), "\r\n");
  const int length = (int)strlen(text);
  static const char bytes[] = "\0 \n\r'\"$![]{}()=.-x9\xff";
  for (int at = 0; at < length; at++)
    for (size_t b = 0; b < sizeof bytes; b++) {
      memcpy(copy, text, sizeof copy);
      copy[at] = bytes[b];
      const int n = b + 1 < sizeof bytes ? length : at;  // the last one cuts
      jn_pool pool = {0};
      jn_tir t;
      jn_error err = {0};
      if (jn_tir_parse(copy, (size_t)n, "t.tir", &pool, &t, &err)) {
        jn_error_line(&err, line, sizeof line);
        for (const char *s = line; *s; s++) assert_true((unsigned char)*s >= 0x20);
        assert_true(err.line >= 0 && err.line <= lines + 1 && !err.line == !err.col);
        refused++;
      } else {
        assert_true(t.version == 52 || t.version == 61);
      }
      jn_pool_free(&pool);
    }
  assert_true(refused > 1000);
}

// ---- files ------------------------------------------------------------------------------------

static void load_says(const char *file, jn_pos from, jn_status code, const char *says)
{
  jn_pool pool = {0};
  jn_tir t;
  jn_error err = {0};
  char line[1024];
  assert_int_equal(jn_tir_load(file, from, NULL, &pool, &t, &err), code);
  assert_string_equal(jn_error_line(&err, line, sizeof line), says);
  jn_pool_free(&pool);
}

static void only_plain_files_are_opened(void **state)
{
  (void)state;
  const jn_pos none = {NULL, 0, 0}, from = {"car.yaml", 7, 11};
  char folder[] = "/tmp/jounce_tir_XXXXXX", fifo[64], says[160];
  assert_non_null(mkdtemp(folder));
  snprintf(fifo, sizeof fifo, "%s/fifo", folder);
  assert_int_equal(mkfifo(fifo, 0600), 0);
  snprintf(says, sizeof says, "%s: is a directory, expected a tyre property file", folder);
  load_says(folder, none, JN_E_FILE, says);
  snprintf(says, sizeof says, "%s: is a device, a pipe or a socket, expected a tyre property file",
           fifo);
  load_says(fifo, none, JN_E_FILE, says);
  unlink(fifo);
  rmdir(folder);
  load_says("none.tir", none, JN_E_FILE, "none.tir: cannot be opened: No such file or directory");
  load_says("none.tir", from, JN_E_FILE,
            "car.yaml:7:11: \"none.tir\" cannot be opened: No such file or directory");
}

// What is wrong inside a file is reported with its own place, wherever its name was written.
static void a_file_that_is_too_long_is_not_read_to_its_end(void **state)
{
  (void)state;
  char file[] = "/tmp/jounce_tir_XXXXXX", says[160];
  const int out = mkstemp(file);
  assert_true(out >= 0 && ftruncate(out, (off_t)1 << 32) == 0);
  jn_pool pool = {0};
  jn_tir t;
  jn_error err = {0};
  assert_int_equal(jn_tir_load(file, (jn_pos){"car.yaml", 7, 11}, NULL, &pool, &t, &err),
                   JN_E_LIMIT);
  snprintf(says, sizeof says, "%s", file);
  assert_string_equal(err.file, says);
  assert_non_null(strstr(err.text, "a tyre property file has at most 4194304"));
  jn_pool_free(&pool);
  close(out);
  unlink(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_file_of_the_cases_is_right),
      cmocka_unit_test(each_mistake_is_reported_with_its_place),
      cmocka_unit_test(a_square_alone_is_no_stiffness),
      cmocka_unit_test(zero_bytes_are_refused),
      cmocka_unit_test(an_empty_file_is_refused),
      cmocka_unit_test(more_than_the_limits_is_refused),
      cmocka_unit_test(damaged_files_give_a_tyre_or_a_place),
      cmocka_unit_test(only_plain_files_are_opened),
      cmocka_unit_test(a_file_that_is_too_long_is_not_read_to_its_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
