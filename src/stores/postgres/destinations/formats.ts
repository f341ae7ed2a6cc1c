/** The forms in which events are sent. */
export const FORMATS = ['standard', 'slack', 'teams', 'pagerduty'] as const
export type Format = (typeof FORMATS)[number]
