/** The variables of this process that any program may have, because nothing in them is secret. */

export const BASE_VARIABLES: ReadonlyArray<string> = "PATH HOME USER LOGNAME SHELL TERM LANG TMPDIR TZ".split(" ")

export const BASE_VARIABLES_WINDOWS: ReadonlyArray<string> =
  "PATH PATHEXT SYSTEMROOT SYSTEMDRIVE COMSPEC TEMP TMP USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMFILES PROCESSOR_ARCHITECTURE".split(
    " "
  )
