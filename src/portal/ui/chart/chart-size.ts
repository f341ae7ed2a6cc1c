/** The same in every panel, so that the time axes are aligned. */
export const VALUE_AXIS = 60
export const RIGHT_EDGE = 12
