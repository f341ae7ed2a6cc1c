/** An environment variable with an invalid value. The message names the variable and the allowed values. */
export class ConfigError extends Error {}
