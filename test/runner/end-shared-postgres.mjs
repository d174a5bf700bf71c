export default async function endSharedPostgres() {
  await globalThis[Symbol.for('switchyard.postgres')]?.stop();
}
