package files

// nonBlocking is nothing: pipes are not files here.
const nonBlocking = 0
