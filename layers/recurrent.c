/* SPDX-License-Identifier: MIT */
/* LSTM and GRU: layers of one or both directions, as PyTorch stacks them. */
#include "layers/internal.h"
#include "core/error.h"

static ag_recurrent_weights add_direction(ag_params *params, const char *name, const char *suffix,
                                          int in, int hidden, int gates)
{
    const int rows = ag__size_product(gates, hidden);
    const ag_init init = ag_init_linear_bias(hidden);
    char what[64];
    ag_recurrent_weights w;
    snprintf(what, sizeof what, "weight_ih_%s", suffix);
    w.w_input = ag__layer_param(params, name, what, AG_SHAPE(rows, in), init);
    snprintf(what, sizeof what, "weight_hh_%s", suffix);
    w.w_state = ag__layer_param(params, name, what, AG_SHAPE(rows, hidden), init);
    snprintf(what, sizeof what, "bias_ih_%s", suffix);
    w.b_input = ag__layer_param(params, name, what, AG_SHAPE(rows), init);
    snprintf(what, sizeof what, "bias_hh_%s", suffix);
    w.b_state = ag__layer_param(params, name, what, AG_SHAPE(rows), init);
    return w;
}

static ag_recurrent_layer add_layers(ag_params *params, const char *name, int in, int hidden,
                                     int layers, int both, int gates)
{
    ag_recurrent_layer layer = {.layers = layers, .both = both, .gates = gates};
    if (layers < 1 || layers > AG_MOST_RECURRENT_LAYERS) {
        if (params && params->failure.status == AG_OK)
            ag_fail(&params->failure, AG_EUSE,
                    "ag_layer_%s: \"%.60s\" has %d layers, but must have 1 to %d",
                    gates == 3 ? "gru" : "lstm", name ? name : "", layers,
                    AG_MOST_RECURRENT_LAYERS);
        return (ag_recurrent_layer){0};
    }
    for (int k = 0; k < layers; k++) {
        char suffix[32];
        for (int back = 0; back < (both ? 2 : 1); back++) {
            snprintf(suffix, sizeof suffix, "l%d%s", k, back ? "_reverse" : "");
            layer.weights[k][back] = add_direction(params, name, suffix, in, hidden, gates);
        }
        in = both ? ag__size_product(2, hidden) : hidden;
    }
    return layer;
}

ag_recurrent_layer ag_layer_lstm(ag_params *params, const char *name, int in, int hidden,
                                 int layers, int both)
{
    return add_layers(params, name, in, hidden, layers, both, 4);
}

ag_recurrent_layer ag_layer_gru(ag_params *params, const char *name, int in, int hidden, int layers,
                                int both)
{
    return add_layers(params, name, in, hidden, layers, both, 3);
}

/* Layer k in one direction: all states, or the last of each sequence. */
static ag_tensor *run(const ag_recurrent_layer *layer, int k, int back, ag_tensor *x,
                      ag_tensor *starts, int last)
{
    ag_tape *tape = ag__layer_tape(x, starts);
    const ag_recurrent_weights *w = &layer->weights[k][back];
    ag_tensor *w_input = ag_parameter(tape, w->w_input), *w_state = ag_parameter(tape, w->w_state);
    ag_tensor *b = ag__optional(tape, w->b_input), *b_state = ag__optional(tape, w->b_state);
    if (layer->gates == 3)
        return last ? ag_gru(x, starts, w_input, w_state, b, b_state)
                    : ag_gru_states(x, starts, w_input, w_state, b, b_state, back);
    if (b && b_state) b = ag_add(b, b_state);
    return last ? ag_lstm(x, starts, w_input, w_state, b)
                : ag_lstm_states(x, starts, w_input, w_state, b, back);
}

/* The states of the first n layers. */
static ag_tensor *states(const ag_recurrent_layer *layer, int n, ag_tensor *x, ag_tensor *starts)
{
    for (int k = 0; k < n; k++) {
        if (k) x = ag_dropout(x, layer->dropout);
        ag_tensor *y = run(layer, k, 0, x, starts, 0);
        x = layer->both ? ag_concat2(y, run(layer, k, 1, x, starts, 0), -1) : y;
    }
    return x;
}

static int fits(const ag_recurrent_layer *layer, ag_tape *tape, const char *who)
{
    if (!ag__has_layer(layer, tape, who)) return 0;
    if (layer->layers >= 1 && layer->layers <= AG_MOST_RECURRENT_LAYERS) return 1;
    ag_tape_fail(tape, AG_EUSE, "%s: there are %d layers, but must be 1 to %d", who, layer->layers,
                 AG_MOST_RECURRENT_LAYERS);
    return 0;
}

ag_tensor *ag_apply_recurrent(const ag_recurrent_layer *layer, ag_tensor *x, ag_tensor *starts)
{
    ag_tape *tape = ag__layer_tape(x, starts);
    if (!fits(layer, tape, "ag_apply_recurrent")) return ag__poison(tape);
    return states(layer, layer->layers, x, starts);
}

ag_tensor *ag_apply_recurrent_last(const ag_recurrent_layer *layer, ag_tensor *x, ag_tensor *starts)
{
    ag_tape *tape = ag__layer_tape(x, starts);
    if (!fits(layer, tape, "ag_apply_recurrent_last")) return ag__poison(tape);
    if (layer->both) {
        ag_tape_fail(tape, AG_EUSE,
                     "ag_apply_recurrent_last: the layer runs both ways, which end at other rows; "
                     "take the states of ag_apply_recurrent");
        return ag__poison(tape);
    }
    const int last = layer->layers - 1;
    x = states(layer, last, x, starts);
    return run(layer, last, 0, last ? ag_dropout(x, layer->dropout) : x, starts, 1);
}
