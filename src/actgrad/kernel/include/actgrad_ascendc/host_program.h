// The program that runs a tiling function once. Python writes the case to the standard input, one item a line:
//
//   op NAME                          optional: which operator, if the file registers several
//   input DTYPE DIMENSION...         a tensor; `input none` is an optional input that is absent
//   output DTYPE DIMENSION...
//   int N, float X, bool 0|1, string TEXT, ints N..., floats X...   an attribute, in the order of the definition
//
// The standard output gets the result as JSON. `--definition` prints the operators of the file instead.
#pragma once

#include <iostream>

#include "host.h"

namespace actgrad::host {

inline std::string quoted(const std::string& text)
{
    std::string json = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') json += '\\';
        json += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return json + "\"";
}

inline std::string parameters(const std::vector<std::unique_ptr<ops::OpParamDef>>& all)
{
    std::string json = "[";
    for (const auto& each : all) {
        json += (json.size() > 1 ? ", " : "") + ("{\"name\": " + quoted(each->name));
        json += std::string(", \"required\": ") + (each->option == ops::REQUIRED ? "true" : "false") + ", \"dtypes\": [";
        for (size_t i = 0; i < each->types.size(); ++i) json += (i ? ", " : "") + std::to_string(each->types[i]);
        json += "]}";
    }
    return json + "]";
}

// Writes to the standard output that the program had. What the author's code prints goes to the standard error.
inline void answer(const std::string& json)
{
    static FILE* const output = std::fopen("/dev/stdout", "w");
    static FILE* const printed = std::freopen("/dev/stderr", "w", stdout);
    if (output == nullptr || printed == nullptr) std::abort();
    std::fputs(json.c_str(), output);
    std::fflush(output);
}

inline void print_definitions()
{
    std::string json = "[";
    for (const auto& each : ops::definitions()) {
        json += (json.size() > 1 ? ", " : "") + ("{\"name\": " + quoted(each->name));
        json += ", \"inputs\": " + parameters(each->inputs) + ", \"outputs\": " + parameters(each->outputs) + ", \"attributes\": [";
        const char* comma = "";
        for (const auto& attribute : each->attributes) {
            json += comma + ("{\"name\": " + quoted(attribute->name)) + ", \"type\": " + quoted(attribute->type) +
                    ", \"default\": " + attribute->fallback + "}";
            comma = ", ";
        }
        json += "], \"products\": [";
        for (size_t i = 0; i < each->core.products.size(); ++i) json += (i ? ", " : "") + quoted(each->core.products[i]);
        json += "]}";
    }
    answer(json + "]\n");
}

template <class T>
inline std::vector<T> rest_of(std::istringstream& line)
{
    std::vector<T> values;
    for (T value; line >> value;) values.push_back(value);
    return values;
}

inline void read_case(gert::TilingContext& context, std::string& op)
{
    for (std::string text; std::getline(std::cin, text);) {
        std::istringstream line(text);
        std::string word, type;
        line >> word;
        gert::Attribute attribute;
        if (word == "op") {
            line >> op;
        } else if (word == "input" || word == "output") {
            line >> type;
            auto& tensors = word == "input" ? context.inputs : context.outputs;
            if (type == "none") tensors.push_back(nullptr);
            else tensors.push_back(std::make_unique<gert::Tensor>(gert::Shape(rest_of<int64_t>(line)), static_cast<ge::DataType>(std::stoi(type))));
        } else if (word == "string") {
            line.get();
            std::getline(line, attribute.text);
            context.attributes.attributes.push_back(attribute);
        } else if (word == "ints") {
            attribute.integers = gert::TypedContinuousVector<int64_t>(rest_of<int64_t>(line));
            context.attributes.attributes.push_back(attribute);
        } else if (word == "floats") {
            attribute.numbers = gert::TypedContinuousVector<float>(rest_of<float>(line));
            context.attributes.attributes.push_back(attribute);
        } else {
            line >> type;
            attribute.number = std::strtof(type.c_str(), nullptr);  // a float attribute may be given as `int 1`
            if (word != "float") attribute.integer = std::strtoll(type.c_str(), nullptr, 10), attribute.flag = attribute.integer != 0;
            context.attributes.attributes.push_back(attribute);
        }
    }
    context.info = {context.inputs.size(), context.outputs.size()};
}

inline int run_tiling(int count, char** words)
{
    answer("");  // before the author's function
    if (count > 1 && std::strcmp(words[1], "--definition") == 0) {
        print_definitions();
        return 0;
    }
    static gert::TilingContext context;  // large
    std::string op;
    read_case(context, op);
    const Registered* found = nullptr;
    for (const Registered& each : registered())
        if (each.tiling != nullptr && (op.empty() || each.name == op)) found = &each;
    if (found == nullptr) {
        answer("{\"status\": 1, \"error\": \"no tiling function is registered\"}\n");
        return 0;
    }
    context.node = found->name;
    ge::graphStatus status = ge::GRAPH_SUCCESS;
    if (found->make_info != nullptr) {
        gert::TilingParseContext parse;
        parse.compile_info = context.compile_info = found->make_info();
        parse.node = found->name;
        status = found->parse(&parse);
    }
    if (status == ge::GRAPH_SUCCESS) status = found->tiling(&context);
    if (last_instance().empty()) last_instance() = instance_of(context.key);  // the function sets no key, or a number
    std::string json = "{\"status\": " + std::to_string(status) + ", \"error\": " + quoted(first_error()) +
                       ", \"key\": " + std::to_string(context.key) + ", \"blocks\": " + std::to_string(context.blocks) +
                       ", \"op\": " + quoted(found->name) + ", \"workspaces\": [";
    for (size_t i = 0; i < context.workspaces.size(); ++i) json += (i ? ", " : "") + std::to_string(context.workspaces[i]);
    json += "], \"instance\": [";
    for (size_t i = 0; i < last_instance().size(); ++i) json += (i ? ", " : "") + quoted(last_instance()[i]);
    json += "], \"data\": \"";
    char digits[3];
    for (size_t i = 0; i < std::min(context.data.size, gert::TilingData::capacity); ++i) {
        std::snprintf(digits, sizeof digits, "%02x", context.data.bytes[i]);
        json += digits;
    }
    answer(json + "\"}\n");
    return 0;
}

}  // namespace actgrad::host
