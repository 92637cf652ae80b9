/** `semaphore(4)` lets four pieces of work run at a time; the others wait in the order in which they came. */
export { default as semaphore, type LimitFunction as Semaphore } from "p-limit";
