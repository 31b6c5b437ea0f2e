// SPDX-License-Identifier: BSD-2-Clause
// Much inlining in little source: what tests/elf/truth.sh builds in many kinds of
// debug information.  Never run.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace outer {
namespace {
template <typename T> struct accumulator {
	T sum{};
	void add(const T &v) { sum = sum + v; }
};
}
struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};
struct square : shape {
	double side;
	explicit square(double s) : side(s) {}
	double area() const override { return side * side; }
};
inline double total(const std::vector<std::unique_ptr<shape>> &v)
{
	accumulator<double> a;
	for (const auto &s : v)
		a.add(s->area());
	return a.sum;
}
} // namespace outer

static int digits(const std::string &text)
{
	return (int)std::count_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::map<std::string, int> words(const std::string &text)
{
	std::map<std::string, int> counts;

	for (size_t at = 0; at < text.size();) {
		size_t end = text.find(' ', at);
		std::string word = text.substr(at, end - at);

		std::transform(word.begin(), word.end(), word.begin(), [](char c) { return (char)(c | 32); });
		counts[word]++;
		at = end == std::string::npos ? text.size() : end + 1;
	}
	return counts;
}

struct local_types {
	std::function<int(int)> make(int base)
	{
		struct adder {
			int base;
			__attribute__((noinline)) int operator()(int x) const { return base + digits(std::to_string(x)); }
		};
		return adder{base};
	}
};

int risky(int n)
{
	try {
		if (n > 100)
			throw std::runtime_error("too many: " + std::to_string(n));
		std::vector<int> v(static_cast<size_t>(n));
		std::iota(v.begin(), v.end(), 0);
		std::sort(v.begin(), v.end(), [](int a, int b) { return a % 7 < b % 7; });
		return v.front();
	} catch (const std::exception &e) {
		return digits(e.what());
	}
}

int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<outer::shape>> shapes;
	std::unordered_map<std::string, int> seen;

	for (int i = 0; i < argc; i++) {
		shapes.push_back(std::make_unique<outer::square>(i));
		seen[argv[i]] += risky(i);
	}
	return (int)outer::total(shapes) + (int)words(argv[0]).size() + local_types().make(3)(argc) + (int)seen.size();
}
