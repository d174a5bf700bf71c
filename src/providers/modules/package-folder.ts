let known: string | undefined;

/** Remembers the folder of the configuration file. */
export function setPackageFolder(folder: string): void {
  known = folder;
}

/** The folder from which the packages are found that the configuration names: that of its file. */
export function packageFolder(): string {
  return known ?? process.cwd();
}
