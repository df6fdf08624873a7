"use strict";
// The page is asked for again until its figures are there.
setTimeout(() => location.reload(), 2000);
