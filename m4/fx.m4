dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl The switches, and no others: what a distribution needs to choose is found by looking.
AC_DEFUN([FX_ARG_SWITCHES], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@], [build with these sanitizers @<:@address,undefined@:>@])],
    [AS_CASE([$enableval], [yes], [fx_sanitizers=address,undefined], [no], [fx_sanitizers=], [fx_sanitizers=$enableval])],
    [fx_sanitizers=])
  AC_ARG_ENABLE([fuzzer],
    [AS_HELP_STRING([--enable-fuzzer], [build the libFuzzer harnesses (CC=clang)])],
    [], [enable_fuzzer=no])
  AC_ARG_ENABLE([gcov],
    [AS_HELP_STRING([--enable-gcov], [build for coverage])],
    [], [enable_gcov=no])
  AC_ARG_WITH([bpf],
    [AS_HELP_STRING([--without-bpf], [pure libraries and their tests only: needs neither clang nor bpftool])],
    [], [with_bpf=yes])
  AM_CONDITIONAL([FUZZER], [test "x$enable_fuzzer" = xyes])
  AM_CONDITIONAL([BPF], [test "x$with_bpf" != xno])
])

dnl A router has one /etc and one /run, also for what is installed in /usr/local. A prefix that is
dnl given, or a folder that is, stays as it is given.
AC_DEFUN([FX_FOLDERS], [
  AS_IF([test "x$prefix" = xNONE], [
    AS_IF([test "x$sysconfdir" = 'x${prefix}/etc'], [sysconfdir=/etc])
    AS_IF([test "x$runstatedir" = 'x${localstatedir}/run'], [runstatedir=/run])
  ])
])

AC_DEFUN([FX_TRY_CFLAG], [
  AC_MSG_CHECKING([whether $CC takes $2])
  fx_saved_cflags=$CFLAGS
  CFLAGS="$CFLAGS -Werror $2"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [AC_MSG_RESULT([yes]); $1="$$1 $2"], [AC_MSG_RESULT([no])])
  CFLAGS=$fx_saved_cflags
])

AC_DEFUN([FX_COMPILER], [
  FX_WARN="-Wall -Wextra"
  for fx_flag in -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wundef -Wvla -Wcast-qual -Wpointer-arith -Wno-unused-parameter -Wno-override-init -Wno-initializer-overrides; do
    FX_TRY_CFLAG([FX_WARN], [$fx_flag])
  done
  FX_HARDEN=
  AS_IF([test "x$fx_sanitizers" = x && test "x$enable_fuzzer" != xyes], [
    FX_TRY_CFLAG([FX_HARDEN], [-fstack-protector-strong])
    FX_TRY_CFLAG([FX_HARDEN], [-fPIE])
    FX_TRY_CFLAG([FX_HARDEN_LD], [-pie])
    FX_TRY_CFLAG([FX_HARDEN_LD], [-Wl,-z,relro])
    FX_TRY_CFLAG([FX_HARDEN_LD], [-Wl,-z,now])
    AS_CASE([" $CFLAGS "], [*" -O0 "*], [], [FX_HARDEN="$FX_HARDEN -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"])
  ])
  FX_INSTRUMENT=
  AS_IF([test "x$fx_sanitizers" != x],
    [FX_INSTRUMENT="-fsanitize=$fx_sanitizers -fno-omit-frame-pointer -fno-sanitize-recover=all"])
  AS_IF([test "x$enable_fuzzer" = xyes], [
    fx_fuzzer=
    FX_TRY_CFLAG([fx_fuzzer], [-fsanitize=fuzzer-no-link])
    AS_IF([test "x$fx_fuzzer" = x], [AC_MSG_ERROR([--enable-fuzzer needs libFuzzer: configure CC=clang])])
    FX_INSTRUMENT="$FX_INSTRUMENT$fx_fuzzer"
    AC_SUBST([FX_FUZZ_LD], [-fsanitize=fuzzer])
  ])
  AS_IF([test "x$enable_gcov" = xyes], [FX_INSTRUMENT="$FX_INSTRUMENT --coverage -O0"])
  AC_SUBST([FX_WARN])
  AC_SUBST([FX_HARDEN])
  AC_SUBST([FX_HARDEN_LD])
  AC_SUBST([FX_INSTRUMENT])
])

AC_DEFUN([FX_BPF_TOOLCHAIN], [
  AS_IF([test "x$with_bpf" != xno], [
    AC_ARG_VAR([BPF_CLANG], [clang that compiles the BPF programs (14 or newer)])
    AC_PATH_PROGS([BPF_CLANG], [clang clang-19 clang-16 clang-14], [none])
    AC_PATH_PROGS([LLVM_STRIP], [llvm-strip llvm-strip-19 llvm-strip-16 llvm-strip-14], [none], [$PATH:/usr/lib/llvm-14/bin])
    AC_PATH_PROG([BPFTOOL], [bpftool], [none], [$PATH:/usr/sbin:/sbin])
    AS_IF([test "$BPF_CLANG" = none || test "$BPFTOOL" = none || test "$LLVM_STRIP" = none],
      [AC_MSG_ERROR([the BPF programs need clang, llvm-strip and bpftool: apt install clang llvm bpftool, or configure --without-bpf])])
    dnl asm/types.h lives in the multiarch folder, where clang -target bpf does not look
    BPF_MULTIARCH=`gcc -print-multiarch 2>/dev/null`
    AS_IF([test "x$BPF_MULTIARCH" != x], [BPF_INCLUDES="-I/usr/include/$BPF_MULTIARCH"])
    AC_SUBST([BPF_INCLUDES])
  ])
])

AC_DEFUN([FX_LIBRARIES], [
  PKG_CHECK_MODULES([PROTOBUF_C], [libprotobuf-c >= 1.3])
  AC_PATH_PROG([PROTOC_C], [protoc-c], [none])
  AS_IF([test "$PROTOC_C" = none], [AC_MSG_ERROR([protoc-c not found: apt install protobuf-c-compiler])])
  PKG_CHECK_MODULES([JSON_C], [json-c >= 0.15])
  PKG_CHECK_MODULES([CMOCKA], [cmocka >= 1.1], [fx_cmocka=yes], [fx_cmocka=no])
  AM_CONDITIONAL([CMOCKA], [test "x$fx_cmocka" = xyes])
  AS_IF([test "x$with_bpf" != xno], [
    PKG_CHECK_MODULES([LIBBPF], [libbpf >= 1.1])
    PKG_CHECK_MODULES([LIBNL], [libnl-3.0 >= 3.5 libnl-genl-3.0 >= 3.5])
    PKG_CHECK_MODULES([LIBEVENT], [libevent_core >= 2.1])
  ])
])

AC_DEFUN([FX_SUMMARY], [
  AC_MSG_NOTICE([
frr-xdp $PACKAGE_VERSION
  prefix            $prefix
  compiler          $CC $CFLAGS
  BPF programs      $with_bpf ${BPF_CLANG:+($BPF_CLANG)}
  unit tests        $fx_cmocka (cmocka)
  sanitizers        ${fx_sanitizers:-none}
  fuzzers           $enable_fuzzer
  coverage          $enable_gcov])
])
