// The header as C++17: it compiles, links, and handles fit smart pointers.
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "check.h"

namespace {

template <auto free> struct Free {
    template <typename T> void operator()(T *handle) const { free(handle); }
};
using Vocabulary = std::unique_ptr<mw_vocabulary, Free<mw_vocabulary_free>>;
using Constraint = std::unique_ptr<mw_constraint, Free<mw_constraint_free>>;
using Session = std::unique_ptr<mw_session, Free<mw_session_free>>;
using Error = std::unique_ptr<mw_error, Free<mw_error_free>>;

static_assert(std::is_standard_layout_v<mw_mask_job> && std::is_trivial_v<mw_constraint_options>);

} // namespace

int main() {
    Vocabulary vocabulary(byte_vocabulary(0));
    Constraint constraint(schema_constraint(vocabulary.get(), R"({"enum": ["hello", true]})"));
    Session session(session_of(constraint.get()));
    std::vector<uint32_t> row(mw_mask_words(vocabulary.get()));
    std::string text;
    while (!(mw_session_state(session.get()) & MW_STATE_FINISHED)) {
        OK(mw_fill_mask(session.get(), row.data(), row.size(), nullptr));
        // The highest byte that is allowed.
        uint32_t id = 255;
        while (!allowed(row.data(), id)) {
            id--;
        }
        OK(mw_accept(session.get(), &id, 1, nullptr));
        text.push_back(static_cast<char>(id));
    }
    CHECK(text == "true");

    mw_error *given = nullptr;
    FAILS(MW_NOT_ALLOWED, mw_accept(session.get(), row.data(), 1, &given));
    Error error(given);
    CHECK(text_has(mw_error_text(error.get(), 0, MW_FIELD_MESSAGE), "not allowed"));
    return 0;
}
