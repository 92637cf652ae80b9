/** How a number is shown: platforms give it as digits, with the country's first. */
export const shownPhone = (number: string): string => (/^\d+$/.test(number) ? `+${number}` : number);
