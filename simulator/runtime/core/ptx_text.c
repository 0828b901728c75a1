/**
 * @file ptx_text.c
 * @brief Takes the text of an asm statement apart, for ptx.c.
 *
 * It may declare registers (.reg), guard an instruction by one, and jump to
 * its own labels.
 *
 * Syntax: "PTX ISA", chapter "Syntax".
 */
#include <ctype.h>

#include "inside.h"

#define BETWEEN " \t\n,{}" /**< operands */

/** %2, p, %laneid, 16, _ or [%0+16]. @return it is one of these */
static bool read_operand(const char *text, const ptx_program *program,
                         ptx_operand *o)
{
    text += *text == '[';
    size_t length = strcspn(text, "+]|");
    const char *end = text + length;
    *o = (ptx_operand){.kind = PTX_NUMBER};
    if (isdigit((unsigned char)*text) || *text == '-') {
        bool bits = *text == '0' && text[1] && strchr("fFdD", text[1]);
        o->number = strtoull(text + 2 * bits, NULL, bits ? 16 : 0); /* 0f... */
        return true;
    }
    if (*text == '%' && isdigit((unsigned char)text[1])) {
        char *last;
        o->kind = PTX_SLOT;
        o->index = (unsigned)strtoul(text + 1, &last, 10);
        end = last;
    } else if (length == 1 && *text == '_') {
        o->kind = PTX_NOTHING;
    } else if (*text == '%') {
        *o = (ptx_operand){.kind = PTX_REGISTER, .name = text + 1};
    } else {
        while (o->index < program->local_count &&
               (strncmp(text, program->locals[o->index], length) ||
                program->locals[o->index][length]))
            o->index++;
        o->kind = PTX_LOCAL;
        if (o->index == program->local_count)
            return false;
    }
    o->number = strtoull(end + (*end == '+'), NULL, 0);
    return true;
}

/** .reg .pred p, q: declare them. @return there was room */
static bool declare(ptx_program *program, char *text)
{
    char *rest;
    strtok_r(text, BETWEEN, &rest);
    strtok_r(NULL, BETWEEN, &rest); /* the type */
    for (char *word; (word = strtok_r(NULL, BETWEEN, &rest));) {
        if (program->local_count == PTX_LOCALS)
            return false;
        program->locals[program->local_count++] = word;
    }
    return true;
}

/** "@!p mad.lo.u32 %0, %1, 3, %2" or "bra label". @return is all known? */
static bool read_instruction(ptx_program *program, ptx_part *part, char *text)
{
    char *rest, *word = strtok_r(text, BETWEEN, &rest);
    if (word && *word == '@') {
        part->negated = word[1] == '!';
        if (!read_operand(word + 1 + part->negated, program, &part->guard) ||
            part->guard.kind > PTX_LOCAL)
            return false;
        word = strtok_r(NULL, BETWEEN, &rest);
    }
    if (!word)
        return true; /* behind the last label */
    part->jumps = !strncmp(word, "bra", 3);
    if (part->jumps)
        word = strtok_r(NULL, BETWEEN, &rest);
    part->name = word;
    if (part->jumps)
        return word;
    part->operands = &program->operands[program->operand_count];
    while ((word = strtok_r(NULL, BETWEEN, &rest))) {
        if (!strcmp(word, "]"))
            continue; /* of [map, {x, y}] */
        if (program->operand_count == PTX_OPERANDS ||
            !read_operand(word, program,
                          &program->operands[program->operand_count]))
            return false;
        const char *second = strchr(word, '|');
        if (second && !read_operand(second + 1, program, &part->second))
            return false;
        program->operand_count++;
        part->count++;
    }
    return true;
}

/** Find where jumps go. @return all labels are there */
static bool find_labels(ptx_program *program)
{
    for (unsigned i = 0; i < program->count; i++) {
        ptx_part *part = &program->parts[i];
        if (!part->jumps)
            continue;
        for (; part->row < program->count; part->row++) {
            const char *label = program->parts[part->row].label;
            if (label && !strcmp(label, part->name))
                break;
        }
        if (part->row == program->count)
            return false;
    }
    return true;
}

/** Read the whole text. @return is all known? */
static bool read_text(ptx_program *program, char *text)
{
    char *rest;
    for (char *one = strtok_r(text, ";", &rest); one;
         one = strtok_r(NULL, ";", &rest)) {
        one += strspn(one, " \t\n{}");
        if (!*one)
            continue;
        if (program->count == PTX_PARTS)
            return false;
        ptx_part *part = &program->parts[program->count++];
        part->guard.kind = part->second.kind = PTX_NOTHING;
        size_t word = strcspn(one, " \t\n:");
        if (one[word] == ':' && one[word + 1] != ':') {
            part->label = one;
            one[word] = 0;
            one += word + 1;
            one += strspn(one, " \t\n{}");
        }
        if (!strncmp(one, ".reg", 4) ? !declare(program, one)
                                     : !read_instruction(program, part, one))
            return false;
    }
    return find_labels(program);
}

/** A copy without blanks about a plus: [%0 + 16] is one word. */
static char *without_blanks(const char *text)
{
    char *copy = sim_new(strlen(text) + 1), *to = copy;
    for (; *text; text++) {
        if (*text == '+')
            while (to > copy && isspace((unsigned char)to[-1]))
                to--;
        *to++ = *text;
        if (*text == '+')
            text += strspn(text + 1, " \t\n");
    }
    return copy;
}

ptx_program *sim_ptx_read(const char *text)
{
    ptx_program *program = sim_new(sizeof *program);
    if (!read_text(program, without_blanks(text)))
        program->count = 0;
    return program;
}
