// The order in which components are evaluated.
#include "components/bus.h"
#include "harness.h"

enum { MOST = 24 };

typedef struct graph {
  int n;
  bool needs[MOST][MOST];
} graph;

static int order_of(const graph *g, int *order, int *ring)
{
  int first[MOST + 1], source[MOST * MOST] = {0}, mark[MOST], m = 0;
  for (int i = 0; i < g->n; i++) {
    first[i] = m;
    for (int k = 0; k < g->n; k++)
      if (g->needs[i][k]) source[m++] = k;
  }
  first[g->n] = m;
  return jn_bus_order(g->n, first, source, order, ring, mark);
}

static graph random_graph(jt_random *r, bool rings)
{
  graph g = {.n = 1 + (int)jt_random_below(r, MOST)};
  int rank[MOST];  // what is needed has a lower one
  for (int i = 0; i < g.n; i++) rank[i] = (int)jt_random_below(r, 1000);
  for (int i = 0; i < g.n; i++)
    for (int k = 0; k < g.n; k++)
      g.needs[i][k] = jt_random_below(r, 5) == 0 && (rings || rank[k] < rank[i]);
  return g;
}

static void what_is_needed_comes_first(void **state)
{
  (void)state;
  jt_random r = {1};
  for (int trial = 0; trial < 500; trial++) {
    const graph g = random_graph(&r, false);
    int order[MOST], ring[MOST], place[MOST];
    for (int i = 0; i < MOST; i++) place[i] = -1;
    assert_int_equal(order_of(&g, order, ring), 0);
    for (int i = 0; i < g.n; i++) {
      assert_int_equal(place[order[i]], -1);  // each once
      place[order[i]] = i;
    }
    for (int i = 0; i < g.n; i++)
      for (int k = 0; k < g.n; k++)
        if (g.needs[i][k]) assert_true(place[k] < place[i]);
  }
}

static void without_needs_the_order_is_that_of_numbers(void **state)
{
  (void)state;
  const graph g = {.n = 5};
  int order[MOST], ring[MOST];
  assert_int_equal(order_of(&g, order, ring), 0);
  for (int i = 0; i < 5; i++) assert_int_equal(order[i], i);
}

// Is there a way from a to b? Warshall's closure, by which rings are found in another way.
static void close_ways(graph *g)
{
  for (int k = 0; k < g->n; k++)
    for (int i = 0; i < g->n; i++)
      for (int j = 0; j < g->n; j++) g->needs[i][j] |= g->needs[i][k] && g->needs[k][j];
}

static void rings_are_found_and_are_rings(void **state)
{
  (void)state;
  jt_random r = {7};
  int found = 0;
  for (int trial = 0; trial < 500; trial++) {
    const graph g = random_graph(&r, true);
    graph all = g;
    bool any = false;
    close_ways(&all);
    for (int i = 0; i < g.n; i++) any |= all.needs[i][i];
    int order[MOST], ring[MOST];
    const int n = order_of(&g, order, ring);
    assert_int_equal(n > 0, any);
    for (int i = 0; i < n; i++) assert_true(g.needs[ring[i]][ring[(i + 1) % n]]);
    found += any;
  }
  assert_true(found > 100 && found < 500);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_needed_comes_first),
      cmocka_unit_test(without_needs_the_order_is_that_of_numbers),
      cmocka_unit_test(rings_are_found_and_are_rings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
