/** Leases of server addresses: how servers of one store know which of them are alive. */

export interface AddressLeases {
  renew(address: string): Promise<void>;
  /** Does nothing if there is no lease. */
  end(address: string): Promise<void>;
  /** The addresses whose lease was renewed recently, sorted. */
  living(): Promise<readonly string[]>;
}
