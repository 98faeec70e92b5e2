// report_template.c: the page that web/ makes, as bytes in the library.
__asm__(
    ".section .rodata\n"
    ".globl jn_page_template\n"
    ".hidden jn_page_template\n"
    "jn_page_template:\n"
    ".incbin \"" JN_PAGE_FILE
    "\"\n"
    ".globl jn_page_template_end\n"
    ".hidden jn_page_template_end\n"
    "jn_page_template_end:\n"
    ".byte 0\n"
    ".previous\n");
