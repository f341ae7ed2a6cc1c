-- an export reads the files of an owner page by page
CREATE INDEX stored_files_owner ON stored_files (owner_id, id);
