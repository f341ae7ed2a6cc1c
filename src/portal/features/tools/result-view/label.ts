/** The part of an API description about the value `null`: the page shows a dash there. */
const ABOUT_NULL = /\s*[;؛][^;؛]*\bnull\b[^;؛]*/gu

/** The description of an output as the label of its value. */
export const labelOf = (description: string): string => description.replace(ABOUT_NULL, '')
