/** `semaphore(4)` runs at most four pieces of work at a time, and starts them in the order in which they came. */
export { default as semaphore, type LimitFunction as Semaphore } from "p-limit";
