// count_at_exit.c: in a build that counts its lines, a process that ends by _exit writes its counts too, such as the child that tries
// a result first.
void __gcov_dump(void);
void __real__exit(int code) __attribute__((noreturn));
void __wrap__exit(int code) __attribute__((noreturn));

void __wrap__exit(int code)
{
  __gcov_dump();
  __real__exit(code);
}
