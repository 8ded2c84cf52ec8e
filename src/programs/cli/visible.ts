/** Removes control characters, which could move the cursor or change the terminal; keeps line breaks and tabs. */
export const visible = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
