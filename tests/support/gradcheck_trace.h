/* SPDX-License-Identifier: MIT */
#ifndef AG_TESTS_GRADCHECK_TRACE_H
#define AG_TESTS_GRADCHECK_TRACE_H

/* ag_gradcheck of an expression whose op x^3 has the derivative factor x^2; NAN: weights changed.
 */
double ag__trace_gradcheck(double factor, int fails, char where[200]);
double ag64__trace_gradcheck(double factor, int fails, char where[200]);

#endif
