/** `semaphore(4)` runs four pieces of work at a time, in the order in which they came. */
export { default as semaphore, type LimitFunction as Semaphore } from "p-limit";
