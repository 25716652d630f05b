// prelude.hpp - precompiled header of what nearly every test includes. Tests still include what
// they use.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <memory_resource>
#include <random>
#include <set>
#include <string>
#include <vector>
