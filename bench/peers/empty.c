// What the start of any process costs.
int main(void) { return 0; }
