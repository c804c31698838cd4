/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/json_scan.h"

#include "nd/error.h"

enum state {
    FIRST_KEY, /* behind '{' */
    KEY,       /* behind ',' in an object */
    COLON,
    FIRST_VALUE, /* behind '[' */
    VALUE,
    AFTER, /* behind a value */
    TEXT,
    ESCAPE,
    HEX,
    LITERAL,
    MINUS,
    ZERO,
    DIGITS,
    POINT,
    FRACTION,
    EXPONENT,
    EXPONENT_SIGN,
    POWER,
    START,
    DONE,
    BAD
};

/* Beyond any double; keeps the sum of exponents small. */
#define POWER_MAX 9999

/* What one step needs beside the scan. */
struct sink {
    nd_json_item_fn *item;
    void *ctx;
};

void nd_json_scan_init(struct nd_json_scan *scan) {
    *scan = (struct nd_json_scan){.state = START};
}

static void emit(struct nd_json_scan *scan, const struct sink *sink, enum nd_json_kind kind) {
    struct nd_json_item item = {
        .kind = kind,
        .depth = scan->depth,
        .key = kind == ND_JSON_CLOSE ? "" : scan->key,
    };

    if (kind == ND_JSON_NUMBER) {
        item.negative = scan->negative;
        item.digits = scan->digits;
        item.exponent = scan->exponent + (scan->power_negative ? -scan->power : scan->power);
    }
    sink->item(sink->ctx, &item);
}

/* ---- containers -------------------------------------------------------------------- */

static bool in_object(const struct nd_json_scan *scan) {
    return (scan->objects >> (scan->depth - 1) & 1) != 0;
}

static void forget_key(struct nd_json_scan *scan) {
    scan->key_length = 0;
    scan->key[0] = '\0';
}

static void open_container(struct nd_json_scan *scan, const struct sink *sink, bool object) {
    if (scan->depth == ND_JSON_DEPTH) {
        scan->state = BAD;
        return;
    }
    emit(scan, sink, object ? ND_JSON_OBJECT : ND_JSON_ARRAY);
    uint32_t bit = 1u << scan->depth;
    scan->objects = (uint16_t)(object ? scan->objects | bit : scan->objects & ~bit);
    scan->depth++;
    forget_key(scan);
    scan->state = object ? FIRST_KEY : FIRST_VALUE;
}

static void close_container(struct nd_json_scan *scan, const struct sink *sink) {
    scan->depth--;
    emit(scan, sink, ND_JSON_CLOSE);
    scan->state = scan->depth == 0 ? DONE : AFTER;
}

static void after_value(struct nd_json_scan *scan, const struct sink *sink, char c) {
    if (c == ',') {
        forget_key(scan);
        scan->state = in_object(scan) ? KEY : VALUE;
    } else if (c == (in_object(scan) ? '}' : ']')) {
        close_container(scan, sink);
    } else {
        scan->state = BAD;
    }
}

/* ---- texts ------------------------------------------------------------------------- */

static void begin_text(struct nd_json_scan *scan, bool key) {
    scan->in_key = key;
    if (key) {
        forget_key(scan);
    }
    scan->state = TEXT;
}

/* A key that is not what is looked for anyway becomes "" for good: key_length stays at its end. */
static void spoil_key(struct nd_json_scan *scan) {
    scan->key_length = ND_JSON_KEY_BYTES;
    scan->key[0] = '\0';
}

static void keep_key(struct nd_json_scan *scan, char c) {
    if (scan->key_length >= ND_JSON_KEY_BYTES - 1) {
        spoil_key(scan);
        return;
    }
    scan->key[scan->key_length++] = c;
    scan->key[scan->key_length] = '\0';
}

static void text(struct nd_json_scan *scan, const struct sink *sink, char c) {
    if (c == '"') {
        if (!scan->in_key) {
            emit(scan, sink, ND_JSON_TEXT);
        }
        scan->state = scan->in_key ? COLON : AFTER;
    } else if (c == '\\') {
        scan->state = ESCAPE;
    } else if ((unsigned char)c < 0x20) {
        scan->state = BAD;
    } else if (scan->in_key) {
        keep_key(scan, c);
    }
}

static void escape(struct nd_json_scan *scan, char c) {
    static const char known[] = "\"\\/bfnrt";

    if (scan->in_key) {
        spoil_key(scan);
    }
    scan->state = BAD;
    if (c == 'u') {
        scan->hex = 4;
        scan->state = HEX;
    }
    for (const char *at = known; *at != '\0'; at++) {
        if (*at == c) {
            scan->state = TEXT;
        }
    }
}

static void hex(struct nd_json_scan *scan, char c) {
    bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');

    if (!digit) {
        scan->state = BAD;
    } else if (--scan->hex == 0) {
        scan->state = TEXT;
    }
}

/* ---- numbers and literals ------------------------------------------------------------ */

static void begin_number(struct nd_json_scan *scan, enum state state) {
    scan->negative = false;
    scan->power_negative = false;
    scan->digits = 0;
    scan->exponent = 0;
    scan->power = 0;
    scan->state = (uint8_t)state;
}

static void add_digit(struct nd_json_scan *scan, char c, bool fraction) {
    uint64_t digit = (uint64_t)(c - '0');

    if (scan->digits > (UINT64_MAX - digit) / 10) {
        /* No room: of an integer its place still counts. */
        if (!fraction && scan->exponent < POWER_MAX) {
            scan->exponent++;
        }
        return;
    }
    scan->digits = scan->digits * 10 + digit;
    if (fraction) {
        scan->exponent--;
    }
}

static void add_power(struct nd_json_scan *scan, char c) {
    if (scan->power < POWER_MAX / 10) {
        scan->power = scan->power * 10 + (c - '0');
    } else {
        scan->power = POWER_MAX;
    }
}

static void end_number(struct nd_json_scan *scan, const struct sink *sink, char c) {
    emit(scan, sink, ND_JSON_NUMBER);
    scan->state = AFTER;
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
        after_value(scan, sink, c);
    }
}

/* The next byte of a number, by the grammar of RFC 8259 section 6. */
static void number(struct nd_json_scan *scan, const struct sink *sink, char c) {
    bool digit = c >= '0' && c <= '9';

    switch (scan->state) {
    case MINUS:
        scan->state = !digit ? BAD : c == '0' ? ZERO : DIGITS;
        scan->digits = digit ? (uint64_t)(c - '0') : 0;
        return;
    case POINT:
    case FRACTION:
        if (digit) {
            add_digit(scan, c, true);
            scan->state = FRACTION;
            return;
        }
        break;
    case EXPONENT:
        if (c == '+' || c == '-') {
            scan->power_negative = c == '-';
            scan->state = EXPONENT_SIGN;
            return;
        }
        /* fall through */
    case EXPONENT_SIGN:
    case POWER:
        if (digit) {
            add_power(scan, c);
            scan->state = POWER;
            return;
        }
        if (scan->state == POWER) {
            end_number(scan, sink, c);
        } else {
            scan->state = BAD;
        }
        return;
    default: /* ZERO, DIGITS */
        if (digit && scan->state == DIGITS) {
            add_digit(scan, c, false);
            return;
        }
        if (c == '.') {
            scan->state = POINT;
            return;
        }
        break;
    }
    if (digit || scan->state == POINT) {
        scan->state = BAD;
    } else if (c == 'e' || c == 'E') {
        scan->state = EXPONENT;
    } else {
        end_number(scan, sink, c);
    }
}

static void begin_literal(struct nd_json_scan *scan, enum nd_json_kind kind, const char *rest) {
    scan->literal = (uint8_t)kind;
    scan->rest = rest;
    scan->state = LITERAL;
}

static void literal(struct nd_json_scan *scan, const struct sink *sink, char c) {
    if (c != *scan->rest) {
        scan->state = BAD;
        return;
    }
    scan->rest++;
    if (*scan->rest == '\0') {
        emit(scan, sink, (enum nd_json_kind)scan->literal);
        scan->state = AFTER;
    }
}

/* ---- all --------------------------------------------------------------------------- */

static void begin_value(struct nd_json_scan *scan, const struct sink *sink, char c) {
    switch (c) {
    case '{':
    case '[':
        open_container(scan, sink, c == '{');
        break;
    case '"':
        begin_text(scan, false);
        break;
    case 't':
        begin_literal(scan, ND_JSON_TRUE, "rue");
        break;
    case 'f':
        begin_literal(scan, ND_JSON_FALSE, "alse");
        break;
    case 'n':
        begin_literal(scan, ND_JSON_NULL, "ull");
        break;
    case '-':
        begin_number(scan, MINUS);
        scan->negative = true;
        break;
    default:
        if (c < '0' || c > '9') {
            scan->state = BAD;
            break;
        }
        begin_number(scan, c == '0' ? ZERO : DIGITS);
        scan->digits = (uint64_t)(c - '0');
        break;
    }
}

/* The places between values, where blanks mean nothing. */
static void between(struct nd_json_scan *scan, const struct sink *sink, char c) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        return;
    }
    switch (scan->state) {
    case FIRST_KEY:
    case KEY:
        if (c == '"') {
            begin_text(scan, true);
        } else if (c == '}' && scan->state == FIRST_KEY) {
            close_container(scan, sink);
        } else {
            scan->state = BAD;
        }
        break;
    case COLON:
        scan->state = c == ':' ? VALUE : BAD;
        break;
    case FIRST_VALUE:
        if (c == ']') {
            close_container(scan, sink);
            break;
        }
        /* fall through */
    case VALUE:
        begin_value(scan, sink, c);
        break;
    case START:
        if (c == '{') {
            open_container(scan, sink, true);
            break;
        }
        /* fall through */
    default: /* DONE */
        scan->state = BAD;
        break;
    }
}

static void step(struct nd_json_scan *scan, const struct sink *sink, char c) {
    switch (scan->state) {
    case TEXT:
        text(scan, sink, c);
        break;
    case ESCAPE:
        escape(scan, c);
        break;
    case HEX:
        hex(scan, c);
        break;
    case LITERAL:
        literal(scan, sink, c);
        break;
    case MINUS:
    case ZERO:
    case DIGITS:
    case POINT:
    case FRACTION:
    case EXPONENT:
    case EXPONENT_SIGN:
    case POWER:
        number(scan, sink, c);
        break;
    case AFTER:
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
            after_value(scan, sink, c);
        }
        break;
    default:
        between(scan, sink, c);
        break;
    }
}

int nd_json_scan_feed(struct nd_json_scan *scan, const char *bytes, size_t len,
                      nd_json_item_fn *item, void *ctx) {
    struct sink sink = {.item = item, .ctx = ctx};

    for (size_t i = 0; i < len && scan->state != BAD; i++) {
        step(scan, &sink, bytes[i]);
    }
    if (scan->state == BAD) {
        return ND_E_PROTOCOL;
    }
    return scan->state == DONE ? ND_OK : ND_AGAIN;
}

uint64_t nd_json_scan_scaled(const struct nd_json_item *item, unsigned decimals) {
    int32_t exponent = item->exponent + (int32_t)decimals;
    uint64_t value = item->digits;
    uint64_t dropped = 0;

    for (; exponent > 0 && value > 0; exponent--) {
        if (value > UINT64_MAX / 10) {
            return UINT64_MAX;
        }
        value *= 10;
    }
    for (; exponent < 0 && (value > 0 || dropped > 0); exponent++) {
        dropped = value % 10;
        value /= 10;
    }
    return value + (dropped >= 5);
}

int64_t nd_json_scan_signed(const struct nd_json_item *item) {
    uint64_t value = nd_json_scan_scaled(item, 0);

    if (!item->negative) {
        return (int64_t)value; /* above INT64_MAX: what a peer wrote without its sign */
    }
    return value <= INT64_MAX ? -(int64_t)value : INT64_MIN;
}
