/** An expected failure; the message is for the operator and is printed without a stack. */
export class BackupError extends Error {}
