/** Shows a number with `+`: platforms give only its digits, which begin with the country's code. */
export const shownPhone = (number: string): string => (/^\d+$/.test(number) ? `+${number}` : number);
